#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace troupe {

/// Runs tasks one after the other on a thread of its own. If a thread would cost more than the tasks, `run_inline`
/// makes the queue run them on the caller's thread.
class TaskQueue {
 public:
  /// @throws Error limit_reached if the thread cannot be started
  TaskQueue();
  /// Waits for all queued tasks and ends the thread. If called by a task of this queue, returns at once; the thread
  /// then ends by itself.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// Runs a task, or queues it for the thread. Tasks must not throw.
  void run(std::function<void()> task);
  /// Ends the thread; `run` then runs each task itself. Must not be called while tasks are queued.
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
