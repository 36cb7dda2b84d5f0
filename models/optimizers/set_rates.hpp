#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace troupe {

/// Learning rates that were set by hand, each from a step on, so that steps that are done again have the rates that
/// they had. Plain book-keeping.
class SetRates {
 public:
  /// Steps, counted from 0, have this rate from that one on. What was set for later ones, which a run that has gone
  /// back does anew, counts no more.
  void set(std::int64_t step, std::optional<double> rate) {
    std::erase_if(rates_, [&](const Entry& each) { return each.step >= step; });
    if (at(step) != rate) rates_.push_back({step, rate});
  }
  /// The run goes on with a state from elsewhere: nothing from before counts.
  void begin(std::int64_t step, std::optional<double> rate) {
    rates_.clear();
    set(step, rate);
  }
  /// None where the options say it.
  std::optional<double> at(std::int64_t step) const {
    const auto next = std::ranges::upper_bound(rates_, step, {}, &Entry::step);
    return next == rates_.begin() ? std::nullopt : (next - 1)->rate;
  }

 private:
  struct Entry {
    std::int64_t step = 0;
    std::optional<double> rate;
  };

  std::vector<Entry> rates_;  ///< in order of steps
};

}  // namespace troupe
