#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace troupe {

/// Stores the learning rates that DistributedSGD::set_learning_rate has set. Each rate is stored with the first step
/// that uses it. So if a step is repeated, it gets the same rate again.
class SetRates {
 public:
  /// Sets the rate of all steps from `step` on; steps count from 0. An empty rate means that the optimizer's options
  /// determine the rate. Removes rates that were set for later steps. Such rates exist if the run has returned to an
  /// earlier step and repeats the later steps.
  void set(std::int64_t step, std::optional<double> rate) {
    std::erase_if(rates_, [&](const Entry& each) { return each.step >= step; });
    if (at(step) != rate) rates_.push_back({step, rate});
  }
  /// Removes all rates, and then sets the rate of all steps from `step` on. Used if the run continues from another
  /// state, for example from a checkpoint.
  void begin(std::int64_t step, std::optional<double> rate) {
    rates_.clear();
    set(step, rate);
  }
  /// Returns the rate that was set for a step. Returns an empty optional if the optimizer's options determine the rate.
  std::optional<double> at(std::int64_t step) const {
    const auto next = std::ranges::upper_bound(rates_, step, {}, &Entry::step);
    return next == rates_.begin() ? std::nullopt : (next - 1)->rate;
  }

 private:
  struct Entry {
    std::int64_t step = 0;
    std::optional<double> rate;
  };

  std::vector<Entry> rates_;  ///< in ascending order of steps
};

}  // namespace troupe
