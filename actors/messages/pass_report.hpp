#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "actors/messages/failure.hpp"
#include "runtime/clock.hpp"
#include "runtime/http/traffic.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Numbers that are added over all passes of a step.
struct PassCounts {
  std::int64_t left_out = 0;        ///< the number of samples that could not be read
  std::int64_t bytes_over_bus = 0;  ///< the number of bytes copied between the host's memory and accelerators
  std::int64_t bytes_copied = 0;    ///< the sum of BatchResult::bytes_copied
  RemoteTraffic remote = {};        ///< what the worker's process has read from servers since its last report

  PassCounts& operator+=(const PassCounts& other) {
    left_out += other.left_out;
    bytes_over_bus += other.bytes_over_bus;
    bytes_copied += other.bytes_copied;
    remote += other.remote;
    return *this;
  }
  /// Adds these numbers to those of a report.
  void add_to(StepReport& report) const {
    report.left_out_samples += left_out;
    report.bytes_over_bus += bytes_over_bus;
    report.bytes_copied += bytes_copied;
    report.remote += remote;
  }
};
template <class F>
auto fields(RemoteTraffic& x, F visit) {
  return visit(x.bytes, x.requests, x.retries, x.cache_hits);
}
template <class F>
auto fields(PassCounts& x, F visit) {
  return visit(x.left_out, x.bytes_over_bus, x.bytes_copied, x.remote);
}

/// The times and counts of one gradient computation of a worker. Times are in seconds, and are stored as bits
/// (`to_bits`).
struct PassReport {
  std::uint64_t seconds_bits = 0;
  std::uint64_t data_bits = 0;  ///< the part of the time that was spent waiting for samples
  PassCounts counts = {};
  /// The number of samples that the model classified correctly; kNotCounted if the number is unknown.
  std::int64_t correct = BatchResult::kNotCounted;
  /// Whether the weights are finite. They are checked only if the results are not finite; otherwise the value is true.
  bool weights_finite = true;
};
template <class F>
auto fields(PassReport& x, F visit) {
  return visit(x.seconds_bits, x.data_bits, x.counts, x.correct, x.weights_finite);
}

/// Adds the number `more` of correct samples to `sum`. If either number is unknown (kNotCounted), the sum becomes
/// unknown, too.
inline void add_correct(std::int64_t more, std::int64_t& sum) {
  sum = sum < 0 || more < 0 ? BatchResult::kNotCounted : sum + more;
}

/// Combines the results of a worker's replicas into one report. Because the replicas compute at the same time, the
/// report contains the longest time that any replica waited for samples.
class Passes {
 public:
  /// Adds the results of one replica, which has computed them one after the other.
  void add(std::span<const BatchResult> computed) {
    double waited = 0;
    for (const BatchResult& each : computed) {
      waited += each.data_seconds;
      finite_ = finite_ && std::isfinite(each.loss_sum);
      counts_ += {each.left_out, each.bytes_over_bus, each.bytes_copied};
      if (each.samples > 0) add_correct(each.correct, correct_);
    }
    longest_wait_ = std::max(longest_wait_, waited);
  }

  /// Records that a result is not finite, in addition to the losses that `add` checks.
  void note_non_finite() { finite_ = false; }

  /// Returns the report on all results that were added.
  /// @param computing a stopwatch that was started when the computation began
  /// @param weights the weights from which the gradients were computed
  PassReport report(const Stopwatch& computing, std::span<const float> weights) const {
    PassCounts counts = counts_;
    counts.remote = take_remote_traffic();
    return {to_bits(computing.seconds()), to_bits(longest_wait_), counts, correct_, finite_ || all_finite(weights)};
  }

 private:
  double longest_wait_ = 0;
  PassCounts counts_;
  std::int64_t correct_ = 0;
  bool finite_ = true;
};

}  // namespace troupe
