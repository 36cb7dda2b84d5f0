#include "actors/worker/task_queue.hpp"

#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {

TaskQueue::TaskQueue() : thread_(start_thread([state = state_] { work(state); })) {}

TaskQueue::~TaskQueue() { close(); }

void TaskQueue::run(std::function<void()> task) {
  if (inline_) return task();
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
  }
  state_->changed.notify_one();
}

void TaskQueue::run_inline() {
  close();
  inline_ = true;
}

void TaskQueue::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_one();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void TaskQueue::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&state] { return state->closed || !state->tasks.empty(); });
    if (state->tasks.empty()) return;
    auto task = std::move(state->tasks.front());
    state->tasks.pop_front();
    lock.unlock();
    {
      const ForkBarrier barrier;
      task();
    }
    task = nullptr;  // destroys the task's captures before the next task starts, without holding the lock
    lock.lock();
  }
}

}  // namespace troupe
