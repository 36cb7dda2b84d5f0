#pragma once

#include <condition_variable>
#include <mutex>

namespace troupe {

/// A counting semaphore with `count` places. std::counting_semaphore is not used, because its implementation in
/// libstdc++ 12 can miss a release (GCC's PR 104928).
class Places {
 public:
  explicit Places(int count) : free_(count) {}

  /// Blocks until a place is free, and then takes the place.
  void take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }
  /// Makes a place free that was taken with `take`.
  void give_back() {
    const std::lock_guard lock(mutex_);
    ++free_;
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_;
};

/// Takes a place in the constructor, and gives it back in the destructor.
class Turn {
 public:
  /// @param places the semaphore; null: there is no limit, and the object does nothing
  explicit Turn(Places* places) : places_(places) {
    if (places_ != nullptr) places_->take();
  }
  ~Turn() {
    if (places_ != nullptr) places_->give_back();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Places* places_;
};

}  // namespace troupe
