#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace troupe {

/// A cache for objects that take much time to make and much memory, such as the contents of archives. If the cache is
/// full, it drops the objects that were used least recently. Thread-safe.
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
    if (held->error) std::rethrow_exception(held->error);
    if (!held->content) try {
        held->content = held->finish ? held->finish() : make();
      } catch (...) {
        held->error = std::current_exception();
        drop(held);
        throw;
      }
    held->finish = nullptr;
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

  /// Starts to make an object that will be requested soon, unless it is in the cache. Objects that were started and not
  /// requested since may take half of the cache; beyond that, does nothing.
  /// @param start begins to make the object and returns at once. Its result waits for the object and returns it
  template <class Start>
  void prefetch(const Key& key, std::uint64_t bytes, const Start& start) {
    const std::scoped_lock lock(mutex_);
    if (find(key) != held_.end()) return;
    std::uint64_t early = bytes;
    for (const auto& held : held_) early += held->requested ? 0 : held->bytes;
    if (early > most_ / 2) return;
    auto held = std::make_shared<Held>(key, bytes);
    held->finish = start();
    held_.push_front(std::move(held));
    make_room();
  }

 private:
  struct Held {
    Held(Key of, std::uint64_t takes) : key(std::move(of)), bytes(takes) {}

    const Key key;
    const std::uint64_t bytes;
    bool requested = false;  ///< protected by mutex_ of the cache
    std::mutex mutex;        ///< held while the content is being made
    Make finish;             ///< finishes an object that was started; empty: there is none
    std::shared_ptr<const Content> content;
    std::exception_ptr error;  ///< why the object could not be made
  };
  using List = std::list<std::shared_ptr<Held>>;

  typename List::iterator find(const Key& key) {
    return std::ranges::find(held_, key, [](const auto& held) -> const Key& { return held->key; });
  }

  std::shared_ptr<Held> use(const Key& key, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = find(key);
    if (found != held_.end())
      held_.splice(held_.begin(), held_, found);
    else
      held_.push_front(std::make_shared<Held>(key, bytes));
    held_.front()->requested = true;
    make_room();
    return held_.front();
  }

  void make_room() {
    std::uint64_t all = 0;
    for (const auto& held : held_) all += held->bytes;
    for (; all > most_ && held_.size() > 1; held_.pop_back()) all -= held_.back()->bytes;
  }

  void drop(const std::shared_ptr<Held>& held) {
    const std::scoped_lock lock(mutex_);
    std::erase(held_, held);
  }

  std::uint64_t most_;
  std::mutex mutex_;
  List held_;  ///< most recently used first
};

}  // namespace troupe
