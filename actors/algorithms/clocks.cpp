#include "actors/algorithms/clocks.hpp"

#include <algorithm>

namespace troupe {

void Clocks::enter(int worker, std::int64_t clock) {
  Clock& of = all_.try_emplace(worker, Clock{clock}).first->second;
  if (of.away) of.clock = std::max(of.clock, slowest_but(worker));
  of.away = false;
  of.begun = of.pushed = of.clock;
  of.served = false;
}

void Clocks::leave(int worker) {
  if (const auto found = all_.find(worker); found != all_.end()) found->second.away = true;
}

/// Returns the lowest clock at the last push among all workers except `worker` and the lost workers. Returns 0 if there
/// are no such workers.
std::int64_t Clocks::slowest_but(int worker) const {
  std::optional<std::int64_t> slowest;
  for (const auto& [other, clock] : all_)
    if (other != worker && !clock.away) slowest = std::min(slowest.value_or(clock.pushed), clock.pushed);
  return slowest.value_or(0);
}

void Clocks::set_back(int worker, std::int64_t clock) {
  all_.at(worker).clock = clock;
  enter(worker, clock);
}

void Clocks::keep(const std::vector<int>& workers) {
  std::erase_if(all_, [&](const auto& each) { return std::ranges::count(workers, each.first) == 0; });
}

bool Clocks::may_go(int worker) const {
  if (!rules_.staleness) return true;
  const std::int64_t clock = all_.at(worker).clock;
  return std::ranges::all_of(all_, [&](const auto& other) {
    return other.first == worker || other.second.away || clock - other.second.pushed <= *rules_.staleness;
  });
}

void Clocks::fetch(int worker) { all_.at(worker).served = true; }

Clocks::Leg Clocks::next_leg(int worker) const {
  const Clock& of = all_.at(worker);
  const std::int64_t since = of.clock - of.begun;
  const auto to_push = rules_.push_every - since % rules_.push_every;
  const auto to_fetch = rules_.fetch_every - since % rules_.fetch_every;
  const auto gradients = std::min(to_push, to_fetch);
  return {of.clock, static_cast<int>(gradients), of.served, gradients < to_fetch, of.clock == of.pushed};
}

void Clocks::advance(int worker, const Leg& leg) {
  Clock& of = all_.at(worker);
  of.clock += leg.gradients;
  of.served = false;
}

bool Clocks::push_due(int worker) const {
  const Clock& of = all_.at(worker);
  return of.clock > of.begun && (of.clock - of.begun) % rules_.push_every == 0 && of.pushed < of.clock;
}

bool Clocks::fetch_due(int worker) const {
  const Clock& of = all_.at(worker);
  return !of.served && (of.clock - of.begun) % rules_.fetch_every == 0;
}

bool Clocks::has_unpushed(int worker) const { return all_.at(worker).pushed < all_.at(worker).clock; }

void Clocks::push(int worker) { all_.at(worker).pushed = all_.at(worker).clock; }

}  // namespace troupe
