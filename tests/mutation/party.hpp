#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "actors/messages/messages.hpp"

namespace troupe_test {

/// A node or a worker that processes messages one at a time on its own thread.
class Party {
 public:
  using CarryOut = std::function<void(const caf::message& request)>;

  explicit Party(CarryOut carry_out) : carry_out_(std::move(carry_out)), thread_([this] { run(); }) {}
  ~Party() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  void post(caf::message request) {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(request));
    changed_.notify_all();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !inbox_.empty(); });
      if (ends_) return;
      const caf::message request = std::move(inbox_.front());
      inbox_.pop_front();
      lock.unlock();
      carry_out_(request);
    }
  }

  CarryOut carry_out_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<caf::message> inbox_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace troupe_test
