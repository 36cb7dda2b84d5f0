#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// A cache for objects that take much time to make and much memory, such as the contents of archives. If the cache is
/// full, it drops objects that were released, and then those that were used least recently. Thread-safe.
template <class Key, class Content>
class LastUsed {
 public:
  using Make = std::function<std::shared_ptr<const Content>()>;

  /// @param most the maximum size of all objects in the cache together, in bytes; a single object may be larger.
  /// Dropped objects that callers still use do not count
  explicit LastUsed(std::uint64_t most) : most_(most) {}

  /// Returns the object with the key `key`. If the object is not in the cache, drops other objects to make room, and
  /// calls `make`, which must return the object. Other threads that request the same object wait until it is made.
  /// @param bytes the size of the object in bytes
  /// @throws the exceptions of `make`, also in the threads that wait; the next call tries again
  std::shared_ptr<const Content> get(const Key& key, std::uint64_t bytes, const Make& make) {
    const std::shared_ptr<Held> held = use(key, bytes);
    const std::scoped_lock lock(held->mutex);
    if (held->refused) throw Error(*held->refused);
    if (held->error) std::rethrow_exception(held->error);
    if (!held->content) try {
        held->content = finish(*held, make);
      } catch (...) {
        keep_error(*held);
        drop(held);
        throw;
      }
    return held->content;
  }

  /// Returns the object if it is in the cache and made; otherwise null. Does not count as a use.
  std::shared_ptr<const Content> peek(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = find(key);
    if (found == held_.end()) return nullptr;
    const std::unique_lock made((*found)->mutex, std::try_to_lock);
    return made ? (*found)->content : nullptr;
  }

  /// Starts to make an object that will be requested soon. If it is in the cache, this counts as a use. Does nothing if
  /// there is no room beside the objects that were not released.
  /// @param start begins to make the object and returns at once. Its result waits for the object and returns it
  template <class Start>
  void prefetch(const Key& key, std::uint64_t bytes, const Start& start) {
    auto held = std::make_shared<Held>(key, bytes);
    const std::scoped_lock lock(held->mutex);  // until the object is started
    if (!insert_if_room(held)) return;
    try {
      held->finish = start();
    } catch (...) {
      drop(held);
      throw;
    }
  }

  /// Announces that an object is not needed any more: it is dropped first, when there is no room.
  void release(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = find(key);
    if (found == held_.end()) return;
    (*found)->released = true;
    held_.splice(held_.end(), held_, found);
  }

 private:
  struct Held {
    Held(Key of, std::uint64_t takes) : key(std::move(of)), bytes(takes) {}

    const Key key;
    const std::uint64_t bytes;
    bool released = false;  ///< protected by mutex_ of the cache
    std::mutex mutex;       ///< held while the content is being made
    OwningProcess owner;
    Make finish;  ///< finishes an object that was started; empty: there is none
    std::shared_ptr<const Content> content;
    std::optional<Error> refused;  ///< why the object could not be made; each waiting thread throws a copy
    std::exception_ptr error;      ///< the same, if it is no Error
  };
  using List = std::list<std::shared_ptr<Held>>;

  typename List::iterator find(const Key& key) {
    return std::ranges::find(held_, key, [](const auto& held) -> const Key& { return held->key; });
  }

  void use(typename List::iterator found) {
    (*found)->released = false;
    held_.splice(held_.begin(), held_, found);
  }

  std::shared_ptr<Held> use(const Key& key, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = find(key);
    if (found != held_.end())
      use(found);
    else
      held_.push_front(std::make_shared<Held>(key, bytes));
    make_room();
    return held_.front();
  }

  bool insert_if_room(const std::shared_ptr<Held>& held) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = find(held->key); found != held_.end()) {
      use(found);
      return false;
    }
    std::uint64_t needed = held->bytes;
    for (const auto& each : held_) needed += each->released ? 0 : each->bytes;
    if (needed > most_) return false;
    held_.push_front(held);
    make_room();
    return true;
  }

  void make_room() {
    std::uint64_t all = 0;
    for (const auto& held : held_) all += held->bytes;
    for (; all > most_ && held_.size() > 1; held_.pop_back()) all -= held_.back()->bytes;
  }

  /// Finishes an object that was started, or makes it. If it was started a long time ago and a server did not answer
  /// then, tries again.
  static std::shared_ptr<const Content> finish(Held& held, const Make& make) {
    Make started = std::exchange(held.finish, nullptr);
    if (started && !held.owner.is_this()) {  // a child made by fork: only its parent has the thread that would finish
      static_cast<void>(std::make_unique<Make>(std::move(started)).release());
      return make();
    }
    if (!started) return make();
    try {
      return started();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout) throw;
    }
    return make();
  }

  /// Called by a handler of the exception.
  static void keep_error(Held& held) try { throw; } catch (const Error& error) {
    held.refused = error;
  } catch (...) {
    held.error = std::current_exception();
  }

  void drop(const std::shared_ptr<Held>& held) {
    const std::scoped_lock lock(mutex_);
    std::erase(held_, held);
  }

  std::uint64_t most_;
  std::mutex mutex_;
  List held_;  ///< most recently used first; released objects last
};

}  // namespace troupe
