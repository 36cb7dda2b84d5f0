#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace troupe {

/// Runs tasks one after the other on a thread of its own, or, where a thread would cost more than the tasks, on the
/// caller's.
class TaskQueue {
 public:
  /// @throws Error limit_reached
  TaskQueue();
  /// Ends after the tasks that wait. Called by one of its own tasks, it lets the thread end by itself.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// Tasks must not throw.
  void run(std::function<void()> task);
  /// Ends the thread; tasks run in `run` from now on. Not to be called while tasks wait.
  void run_inline();

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool closed = false;
  };
  static void work(const std::shared_ptr<State>& state);
  void close();

  std::shared_ptr<State> state_ = std::make_shared<State>();
  bool inline_ = false;
  std::thread thread_;
};

}  // namespace troupe
