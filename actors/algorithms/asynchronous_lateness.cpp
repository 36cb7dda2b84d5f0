#include <algorithm>
#include <utility>

#include "actors/algorithms/asynchronous.hpp"

// Who is late, and what becomes of what nobody will answer any more.
namespace troupe {

/// Of the worker that is furthest behind.
void AsynchronousRunner::throw_late(const StepContext& context) const {
  std::vector<int> workers = context.members.workers();
  int slowest = workers.front();
  std::erase_if(workers, [&](int worker) { return context.members.lost(worker); });
  if (!workers.empty())
    slowest = *std::ranges::min_element(workers, {}, [&](int worker) { return clocks_.clock(worker); });
  throw Error(ErrorCode::timeout, "no gradient was applied in time, also none of the worker that is furthest behind",
              context.rounds.where(slowest, phase(context, "compute")));
}

/// What passes between calls is not taken from workers' time.
void AsynchronousRunner::come_back() {
  if (!left_at_) return;
  const auto away = Clock::now() - *std::exchange(left_at_, std::nullopt);
  for (auto& [round, task] : tasks_) task.deadline = task.deadline.later(away);
}

/// All workers that have had their time; where there are none, who has not answered this round.
Round AsynchronousRunner::late(std::uint64_t round) const {
  std::vector<int> workers;
  for (const auto& [number, task] : tasks_)
    if (task.is_of_worker() && task.deadline.passed()) workers.push_back(task.worker);
  return workers.empty() ? *std::ranges::find(rounds_, round, &Round::number) : Round(0, std::move(workers));
}

/// Nobody will hear answers of those that are lost. A worker that has had its time may still be at work: it is a task
/// until it is lost. What servers have been told they do before they do anything else.
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
