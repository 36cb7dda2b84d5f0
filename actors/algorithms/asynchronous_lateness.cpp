#include <algorithm>
#include <utility>

#include "actors/algorithms/asynchronous.hpp"

// Handles members that miss their deadlines, and tasks whose answers will not arrive.
namespace troupe {

/// Throws an error (timeout) that names the slowest worker: the worker with the lowest clock among those that are not
/// lost.
void AsynchronousRunner::throw_late(const StepContext& context) const {
  std::vector<int> workers = context.members.workers();
  int slowest = workers.front();
  std::erase_if(workers, [&](int worker) { return context.members.lost(worker); });
  if (!workers.empty())
    slowest = *std::ranges::min_element(workers, {}, [&](int worker) { return clocks_.clock(worker); });
  throw Error(ErrorCode::timeout, "no gradient was applied in time; this worker is the furthest behind",
              context.rounds.where(slowest, phase(context, "compute")));
}

/// Extends the deadlines of all outstanding tasks by the time since the last call of `step` ended. During this time the
/// driver received no replies, so a late reply may not be the worker's fault.
void AsynchronousRunner::come_back() {
  if (!left_at_) return;
  const auto away = Clock::now() - *std::exchange(left_at_, std::nullopt);
  for (auto& [round, task] : tasks_) task.deadline = task.deadline.later(away);
}

/// Returns a round (with number 0) that waits for all workers that have missed the deadline of their task. If there are
/// no such workers, returns the open round with the number `round`.
Round AsynchronousRunner::late(std::uint64_t round) const {
  std::vector<int> workers;
  for (const auto& [number, task] : tasks_)
    if (task.is_of_worker() && task.deadline.passed()) workers.push_back(task.worker);
  return workers.empty() ? *std::ranges::find(rounds_, round, &Round::number) : Round(0, std::move(workers));
}

/// Removes each outstanding task of a lost member, because the member will not answer. Also removes a task of the
/// parameter servers if it misses its deadline. This is safe, because servers handle requests in the order of arrival,
/// so the task's request is finished before any later request starts. If a worker's task misses its deadline, the task
/// stays until the worker is lost, because the worker may still be computing.
void AsynchronousRunner::forget_hopeless(const StepContext& context) {
  std::erase_if(rounds_, [&](const Round& round) {
    const Task& task = tasks_.at(round.number());
    const bool hopeless =
        (!task.is_of_worker() && task.deadline.passed()) ||
        std::ranges::any_of(round.missing(), [&](int member) { return context.members.lost(member); });
    if (hopeless) tasks_.erase(round.number());
    return hopeless;
  });
}

}  // namespace troupe
