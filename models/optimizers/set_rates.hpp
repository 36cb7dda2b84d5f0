#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace troupe {

/// The learning rates that were set by hand, each with its first step, so that repeated steps get the same rates again.
/// Holds data only.
class SetRates {
 public:
  /// Sets the rate from `step` on; steps count from 0. Removes rates that were set for later steps, because a run that
  /// has gone back repeats those steps.
  void set(std::int64_t step, std::optional<double> rate) {
    std::erase_if(rates_, [&](const Entry& each) { return each.step >= step; });
    if (at(step) != rate) rates_.push_back({step, rate});
  }
  /// Forgets all rates, for a run that continues from another state, and sets the rate from `step` on.
  void begin(std::int64_t step, std::optional<double> rate) {
    rates_.clear();
    set(step, rate);
  }
  /// Returns the rate at a step; nothing if the options determine it.
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
