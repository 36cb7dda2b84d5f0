#pragma once

#include <algorithm>
#include <cstdint>
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
  /// @param most the maximum size of all objects in the cache together, in bytes; a single object may be larger.
  /// Dropped objects that callers still use do not count
  explicit LastUsed(std::uint64_t most) : most_(most) {}

  /// Returns the object with the key `key`. If the object is not in the cache, drops other objects to make room, and
  /// calls `make`, which must return the object. Other threads that request the same object wait until it is made.
  /// @param bytes the size of the object in bytes
  /// @throws the exceptions of `make`
  template <class Make>
  std::shared_ptr<const Content> get(const Key& key, std::uint64_t bytes, const Make& make) {
    const std::shared_ptr<Held> held = use(key, bytes);
    const std::scoped_lock lock(held->mutex);
    if (!held->content) held->content = make();
    return held->content;
  }

 private:
  struct Held {
    Held(Key of, std::uint64_t takes) : key(std::move(of)), bytes(takes) {}

    Key key;
    std::uint64_t bytes;
    std::mutex mutex;  ///< held while the content is being made
    std::shared_ptr<const Content> content;
  };

  std::shared_ptr<Held> use(const Key& key, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(held_, key, [](const auto& held) -> const Key& { return held->key; });
    if (found != held_.end())
      held_.splice(held_.begin(), held_, found);
    else
      held_.push_front(std::make_shared<Held>(key, bytes));
    std::uint64_t all = 0;
    for (const auto& held : held_) all += held->bytes;
    for (; all > most_ && held_.size() > 1; held_.pop_back()) all -= held_.back()->bytes;
    return held_.front();
  }

  std::uint64_t most_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Held>> held_;  ///< most recently used first
};

}  // namespace troupe
