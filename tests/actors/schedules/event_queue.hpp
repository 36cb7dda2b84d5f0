#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe_test {

/// Future events of a simulation. An event has the members `at`, its time, and `number`.
template <class Event>
class EventQueue {
 public:
  bool empty() const { return events_.empty(); }
  /// Returns the time of the next event.
  troupe::Clock::time_point next() const { return events_.front().at; }
  /// Adds a new event. Of two events at the same time, the one that was added first comes first.
  void add(Event event) {
    event.number = ++last_;
    put_back(std::move(event));
  }
  /// Adds an event again that `pop` has returned.
  void put_back(Event event) {
    events_.push_back(std::move(event));
    std::ranges::push_heap(events_, std::greater{}, order);
  }
  Event pop() {
    std::ranges::pop_heap(events_, std::greater{}, order);
    Event event = std::move(events_.back());
    events_.pop_back();
    return event;
  }

 private:
  static std::pair<troupe::Clock::time_point, std::uint64_t> order(const Event& each) { return {each.at, each.number}; }

  std::vector<Event> events_;  ///< a heap
  std::uint64_t last_ = 0;
};

}  // namespace troupe_test
