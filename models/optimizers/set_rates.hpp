#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace troupe {

/// The learning rates that were set by hand (DistributedSGD::set_learning_rate), each with the first step that uses it.
/// So steps that are repeated get the same rates again.
class SetRates {
 public:
  /// Sets the rate from `step` on; steps count from 0. An empty rate means that the options determine the rate. Removes
  /// rates that were set for later steps: there are such rates if the run has returned to an earlier step and repeats
  /// the later steps.
  void set(std::int64_t step, std::optional<double> rate) {
    std::erase_if(rates_, [&](const Entry& each) { return each.step >= step; });
    if (at(step) != rate) rates_.push_back({step, rate});
  }
  /// Removes all rates and sets the rate from `step` on. Used if the run continues from another state.
  void begin(std::int64_t step, std::optional<double> rate) {
    rates_.clear();
    set(step, rate);
  }
  /// Returns the rate of a step; empty if the options determine the rate.
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
