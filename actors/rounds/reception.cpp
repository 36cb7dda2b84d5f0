#include "actors/rounds/reception.hpp"

#include <utility>

namespace troupe {
namespace {

/// The largest number of arrivals of workers that are kept for `next_happening`. Further arrivals are dropped.
constexpr std::size_t kMostArrivals = 1024;

}  // namespace

std::optional<Happening> Reception::next_happening(const Deadline& deadline) {
  if (arrivals_.empty()) return hear(deadline);
  WorkerArrival first = std::move(arrivals_.front());
  arrivals_.pop_front();
  return first;
}

std::optional<Event> Reception::next(const Deadline& deadline) {
  while (auto happening = hear(deadline)) {
    if (auto* answer = std::get_if<Answer>(&*happening)) return std::move(*answer);
    if (const auto* ended = std::get_if<Ended>(&*happening)) return *ended;
    auto* arrival = std::get_if<WorkerArrival>(&*happening);
    if (arrival != nullptr && arrivals_.size() < kMostArrivals) arrivals_.push_back(std::move(*arrival));
  }
  return std::nullopt;
}

}  // namespace troupe
