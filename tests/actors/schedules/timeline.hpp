#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/rounds/reception.hpp"
#include "actors/schedules/chance.hpp"
#include "actors/schedules/virtual_time.hpp"

namespace troupe_test {

/// The driver sent an invalid request, or a call does not end.
struct Violation : std::logic_error {
  using std::logic_error::logic_error;
};

/// The future events of a simulation, in which time passes from event to event. An event has the members `at`, its
/// time, and `number`. Of two events at the same time, the one that was added first comes first.
template <class Event>
class Timeline {
 public:
  /// @param trace receives one line per event; null: no trace
  Timeline(std::uint64_t seed, std::ostream* trace) : chance(seed), trace_(trace), call_ends_(now()) {}

  troupe::Clock::time_point now() const { return time_.now(); }
  void wait(troupe::Clock::duration time) { time_.pass(time); }
  /// Adds an event after this time. Sets its `at` and `number`.
  void add(troupe::Clock::duration from_now, Event event) {
    event.at = now() + from_now;
    event.number = ++last_;
    put_back(std::move(event));
  }
  /// Starts a call of the driver. The call must end within `limit`.
  void begin_call(const std::string& name, troupe::Clock::duration limit) {
    call_ends_ = now() + limit;
    tell("call " + name);
  }
  /// @throws Violation if the call has exceeded its limit
  void check_call() const {
    if (now() > call_ends_) throw Violation("the call does not end");
  }
  /// Passes events to `happen` until it returns something that the driver hears, or until the deadline.
  template <class Happen>
  std::optional<troupe::Happening> hear(const troupe::Deadline& deadline, const Happen& happen) {
    check_call();
    while (!events_.empty() && events_.front().at <= deadline.at())
      if (auto happening = happen(pop())) return happening;
    time_.move_to(deadline.at());
    return std::nullopt;
  }
  /// Lets time pass in which the driver hears nothing: passes the events for which `is_work` is true to `happen`, and
  /// keeps the others.
  template <class IsWork, class Happen>
  void pass(troupe::Clock::duration time, const IsWork& is_work, const Happen& happen) {
    const auto end = now() + time;
    std::vector<Event> unheard;
    while (!events_.empty() && events_.front().at <= end) {
      Event event = pop();
      if (is_work(event))
        happen(std::move(event));
      else
        unheard.push_back(std::move(event));
    }
    for (Event& each : unheard) put_back(std::move(each));
    time_.move_to(end);
  }

  bool has_trace() const { return trace_ != nullptr; }
  void tell(const std::string& what) const {
    if (trace_ == nullptr) return;
    const auto since = now().time_since_epoch() - std::chrono::hours(24);
    *trace_ << std::chrono::duration_cast<std::chrono::microseconds>(since).count() << " us: " << what << '\n';
  }

  troupe::Clock::duration soon() { return std::chrono::microseconds(chance.below(2000)); }
  /// Returns a short time, or with this rate a time of up to 2.5 seconds.
  troupe::Clock::duration some_time(int per_mille_long) {
    return chance.per_mille(per_mille_long) ? std::chrono::milliseconds(chance.below(2500)) : soon();
  }

  Chance chance;

 private:
  static std::pair<troupe::Clock::time_point, std::uint64_t> order(const Event& each) { return {each.at, each.number}; }
  void put_back(Event event) {
    events_.push_back(std::move(event));
    std::ranges::push_heap(events_, std::greater{}, order);
  }
  Event pop() {
    std::ranges::pop_heap(events_, std::greater{}, order);
    Event event = std::move(events_.back());
    events_.pop_back();
    time_.move_to(event.at);
    return event;
  }

  VirtualTime time_;
  std::ostream* const trace_;
  std::vector<Event> events_;  ///< a heap
  std::uint64_t last_ = 0;
  troupe::Clock::time_point call_ends_;
};

}  // namespace troupe_test
