#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace troupe {

/// Runs tasks one after the other on a thread of its own. `run_inline` makes the queue run later tasks on the caller's
/// thread instead; this is faster if the tasks are short.
class TaskQueue {
 public:
  /// Starts the queue's thread.
  /// @throws Error limit_reached if the thread cannot be started
  TaskQueue();
  /// Waits until all queued tasks are finished, and ends the thread. If a task of this queue destroys the queue, the
  /// destructor returns at once, and the thread ends by itself.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// Queues `task` for the thread, or, after `run_inline`, runs it before returning. Tasks must not throw.
  void run(std::function<void()> task);
  /// Ends the queue's thread. Afterwards, `run` runs each task on the caller's thread. Must not be called while tasks
  /// are queued.
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
