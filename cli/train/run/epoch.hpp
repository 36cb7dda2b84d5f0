#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The results of an epoch. If the run was resumed in the middle of the epoch, the results are only from the steps that
/// this process has made.
struct EpochReport {
  std::int64_t epoch = 0;  ///< number of the epoch, from 1
  std::int64_t step = 0;   ///< number of the epoch's last step
  std::int64_t samples = 0;
  std::string unit = "samples";  ///< as StepReport::unit
  /// Mean loss over the samples; the loss of a sample is computed with the weights before the sample's step changes
  /// them.
  double loss = 0;
  std::optional<double> accuracy = {};  ///< accuracy on the same samples; none if the loss has no accuracy
  double learning_rate = 0;             ///< learning rate of the epoch's last step
  double seconds = 0;  ///< time of the epoch's training, without evaluations and other work between epochs
  std::optional<Evaluation> test = {};        ///< none without a test set, or if there is a validation set
  std::optional<Evaluation> validation = {};  ///< none without a validation set

  double samples_per_second() const { return seconds > 0 ? static_cast<double>(samples) / seconds : 0; }
};

/// Adds up the results of an epoch's steps. The epoch's time is measured from the construction of this object.
class EpochTally {
 public:
  void add(const StepReport& step) {
    samples_ += step.samples;
    unit_ = step.unit;
    loss_sum_ += step.loss * static_cast<double>(step.samples);
    counts_ = counts_ && step.correct >= 0;
    correct_ += step.correct;
  }

  /// Ends the measured time of the epoch, and returns the report of the epoch. The caller must set the report's
  /// `epoch`, `step`, `learning_rate` and evaluations.
  EpochReport end() const {
    const double samples = static_cast<double>(samples_);
    const auto accuracy =
        counts_ && samples_ > 0 ? std::optional(static_cast<double>(correct_) / samples) : std::nullopt;
    return {.samples = samples_,
            .unit = unit_,
            .loss = samples_ > 0 ? loss_sum_ / samples : 0,
            .accuracy = accuracy,
            .seconds = watch_.seconds()};
  }

 private:
  std::int64_t samples_ = 0;
  std::string unit_ = "samples";
  double loss_sum_ = 0;
  std::int64_t correct_ = 0;
  bool counts_ = true;
  Stopwatch watch_;
};

}  // namespace troupe::cli
