#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "actors/messages/failure.hpp"
#include "runtime/clock.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// The costs and counts of a worker's gradient computation. Seconds are stored as bits (`to_bits`).
struct PassReport {
  std::uint64_t seconds_bits = 0;
  std::uint64_t data_bits = 0;                      ///< the part of the seconds spent waiting for samples, as bits
  std::int64_t left_out = 0;                        ///< samples that could not be read
  std::int64_t bytes_over_bus = 0;                  ///< bytes copied between the host and accelerators
  std::int64_t correct = BatchResult::kNotCounted;  ///< samples that the model classified correctly, or kNotCounted
  bool weights_finite = true;  ///< whether the weights are finite; only checked if the results are not
};
template <class F>
auto fields(PassReport& x, F visit) {
  return visit(x.seconds_bits, x.data_bits, x.left_out, x.bytes_over_bus, x.correct, x.weights_finite);
}

/// Adds `more` correct samples to `sum`. The sum becomes unknown (kNotCounted) if either number is unknown.
inline void add_correct(std::int64_t more, std::int64_t& sum) {
  sum = sum < 0 || more < 0 ? BatchResult::kNotCounted : sum + more;
}

/// Combines the results of a worker's replicas into one report. The replicas computed at the same time, so only the
/// longest wait for samples counts.
class Passes {
 public:
  /// Adds the results that one replica computed one after the other.
  void add(std::span<const BatchResult> computed) {
    double waited = 0;
    for (const BatchResult& each : computed) {
      waited += each.data_seconds;
      finite_ = finite_ && std::isfinite(each.loss_sum);
      left_out_ += each.left_out;
      bytes_over_bus_ += each.bytes_over_bus;
      if (each.samples > 0) add_correct(each.correct, correct_);
    }
    longest_wait_ = std::max(longest_wait_, waited);
  }

  /// Records that a result is not finite, in addition to the losses that `add` checks.
  void note_non_finite() { finite_ = false; }

  /// Returns the report.
  /// @param computing measures the time since the computation began
  /// @param weights the weights from which the gradients were computed
  PassReport report(const Stopwatch& computing, std::span<const float> weights) const {
    return {to_bits(computing.seconds()),  to_bits(longest_wait_), left_out_, bytes_over_bus_, correct_,
            finite_ || all_finite(weights)};
  }

 private:
  double longest_wait_ = 0;
  std::int64_t left_out_ = 0;
  std::int64_t bytes_over_bus_ = 0;
  std::int64_t correct_ = 0;
  bool finite_ = true;
};

}  // namespace troupe
