#include "actors/driver/forming/run_workers.hpp"

#include <algorithm>
#include <utility>

#include "actors/driver/forming/recovery.hpp"
#include "actors/messages/settle.hpp"

namespace troupe {

void RunWorkers::deal_to(int num_workers, std::int64_t step) {
  Members& members = runtime_.members;
  while (members.num_workers() > num_workers) drop(members.workers().back(), step);
  while (members.num_workers() < num_workers) members.add();
}

void RunWorkers::drop(int worker, std::int64_t step) {
  coming_.erase(worker);
  const auto time = runtime_.host->time_at_end();
  if (time && !runtime_.members.lost(worker)) stop(worker, *time, step);
  runtime_.host->end(worker);
  runtime_.mailbox.unseat(worker);
  rounds_.forgive(worker);
  runtime_.members.drop(worker);
}

/// Requests `worker` to stop, and waits up to `time` until it has stopped. A wait is needed because a replica in this
/// process may still compute for a failed round. If the worker does not stop in time, marks it as lost.
void RunWorkers::stop(int worker, std::chrono::milliseconds time, std::int64_t step) {
  const bool settled = rounds_.settled();
  try {
    rounds_.ask(Stop{}, {worker}, Phase{"stop", step, Deadline(time)});
  } catch (const Error&) {
    runtime_.members.lose(worker);
  }
  if (!settled) rounds_.unsettle();
}

void RunWorkers::drop_lost(int blamed, int least, std::int64_t step) {
  const Members& members = runtime_.members;
  std::vector<int> lost = members.lost_workers();
  std::stable_partition(lost.begin(), lost.end(), [&](int worker) { return worker == blamed; });
  for (const int worker : lost)
    if ((worker == blamed || !members.never_came(worker)) && members.num_workers() > least) drop(worker, step);
}

std::vector<int> RunWorkers::all_but(const std::vector<int>& some) const {
  std::vector<int> others = runtime_.members.workers();
  std::erase_if(others, [&](int worker) { return std::ranges::count(some, worker) > 0; });
  return others;
}

bool RunWorkers::are_coming(std::chrono::milliseconds start_time) {
  Recovery recovery(*runtime_.host, runtime_.mailbox, runtime_.members, rounds_);
  const std::vector<int> lost = runtime_.members.lost_workers();
  for (const int worker : lost) {
    if (coming_.contains(worker)) continue;
    recovery.start(worker);
    coming_.emplace(worker, Deadline(start_time));
  }
  return std::ranges::all_of(lost,
                             [&](int worker) { return recovery.is_coming(worker) && !coming_.at(worker).passed(); });
}

void RunWorkers::replace_lost(const Phase& phase) {
  std::set<int> coming;
  for (const auto& [worker, until] : std::exchange(coming_, {})) coming.insert(worker);
  if (runtime_.members.lost_workers().empty()) return;
  Recovery(*runtime_.host, runtime_.mailbox, runtime_.members, rounds_).replace_lost(phase, coming);
}

}  // namespace troupe
