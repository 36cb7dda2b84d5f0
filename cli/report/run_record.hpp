#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/stragglers.hpp"

namespace troupe::cli {

/// The numbers of a run's steps, reduced to an amount that a chart can show. A stretch is a range of consecutive steps,
/// with the minimum, maximum and sum of each number over these steps. There are at most 2,048 stretches. When more
/// stretches are needed, each pair of neighbouring stretches is joined to one stretch.
/// @tparam Width the number of numbers that each step has
template <std::size_t Width>
class Thinned {
 public:
  static constexpr std::size_t kMostStretches = 2048;  ///< more than a chart has pixels

  /// The numbers of consecutive steps, combined.
  struct Stretch {
    double first = 0;        ///< number of the first step
    double last = 0;         ///< number of the last step
    std::int64_t count = 0;  ///< number of recorded steps
    std::array<double, Width> least{};
    std::array<double, Width> most{};
    std::array<double, Width> sum{};
  };

  /// Adds a step, which must be later than all steps that were added before. Its numbers must be finite.
  void add(double step, const std::array<double, Width>& numbers) {
    const Stretch one{.first = step, .last = step, .count = 1, .least = numbers, .most = numbers, .sum = numbers};
    if (!stretches_.empty() && stretches_.back().count < length_) return join(stretches_.back(), one);
    if (stretches_.size() == kMostStretches) halve();
    stretches_.push_back(one);
  }

  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  static void join(Stretch& to, const Stretch& next) {
    to.last = next.last;
    to.count += next.count;
    for (std::size_t i = 0; i < Width; ++i) {
      to.least[i] = next.least[i] < to.least[i] ? next.least[i] : to.least[i];
      to.most[i] = next.most[i] > to.most[i] ? next.most[i] : to.most[i];
      to.sum[i] += next.sum[i];
    }
  }

  void halve() {
    for (std::size_t i = 0; i < kMostStretches / 2; ++i) {
      stretches_[i] = stretches_[2 * i];
      join(stretches_[i], stretches_[2 * i + 1]);
    }
    stretches_.resize(kMostStretches / 2);
    length_ *= 2;
  }

  std::int64_t length_ = 1;  ///< number of steps in each stretch, except the last one
  std::vector<Stretch> stretches_;
};

/// The result of an evaluation after an epoch.
struct RecordedEvaluation {
  double loss = 0;
  double accuracy = 0;
};

/// The content of the report's line about an epoch.
struct RecordedEpoch {
  std::int64_t epoch = 0;
  double loss = 0;
  double accuracy = 0;  ///< accuracy on the training samples; NaN if the run's loss function has no accuracy
  double learning_rate = 0;
  double rate = 0;  ///< samples per second
  std::optional<RecordedEvaluation> test = {};
  std::optional<RecordedEvaluation> validation = {};
};

/// A repair of the run: the replacement or removal of a lost worker.
struct RecordedRepair {
  std::int64_t step = 0;
  std::string what;  ///< text with the step, worker, node, phase and cause of the loss
};

// Indices of a step's numbers in `RunRecord::numbers`: the loss, the samples per second, and the seconds of the phases
// compute, reduce and apply and of the rest of the step.
inline constexpr std::size_t kStepLoss = 0;
inline constexpr std::size_t kStepRate = 1;
inline constexpr std::size_t kStepCompute = 2;
inline constexpr std::size_t kStepReduce = 3;
inline constexpr std::size_t kStepApply = 4;
inline constexpr std::size_t kStepOther = 5;
inline constexpr std::size_t kStepNumbers = 6;

/// An evaluation between epochs, after step `step`.
struct RecordedMeasure {
  std::int64_t step = 0;
  std::string set = {};  ///< "test" or "validation"
  RecordedEvaluation evaluation = {};
};

/// Figures of the algorithms local SGD and L-BFGS. They are zero in a run with another algorithm.
struct RecordedAlgorithm {
  std::int64_t local_steps = 0;  ///< local SGD: number of steps between the last two averages of the weights
  double drift = 0;              ///< local SGD: see LocalReport::drift; at the last average of the weights
  std::int64_t evaluations = 0;  ///< L-BFGS, like all later members: number of evaluations in all steps
  std::int64_t portions = 0;     ///< number of computed portions in all steps, without backups
  std::int64_t backups = 0;      ///< number of portions that a second worker computed, too, in all steps
  double objective = 0;          ///< value of the objective after the last step
  double largest = 0;            ///< largest magnitude in the gradient after the last step
  std::string end = {};          ///< the reason why L-BFGS has ended
};

/// The content of a run's report, reduced to the numbers that a page shows. The needed memory does not grow with the
/// number of steps.
struct RunRecord {
  static constexpr std::size_t kMostEpochs = 5000;
  static constexpr std::size_t kMostRepairs = 1000;

  std::int64_t steps = 0;  ///< number of recorded steps
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::int64_t samples = 0;
  std::string unit = "samples";  ///< what `samples` counts: "samples" or "tokens"
  double seconds = 0;            ///< total time of all steps
  double last_loss = 0;
  std::string strategy = {};  ///< strategy of the last step; `precision` and `algorithm` are also of the last step
  std::string precision = {};
  std::string algorithm = {};
  RecordedAlgorithm did = {};
  Thinned<kStepNumbers> numbers = {};
  std::deque<RecordedEpoch> epochs = {};            ///< the last kMostEpochs epochs
  std::deque<RecordedMeasure> between_epochs = {};  ///< the last kMostEpochs evaluations between epochs
  std::vector<RecordedRepair> repairs = {};         ///< the first kMostRepairs repairs
  std::int64_t num_repairs = 0;                     ///< number of all repairs
  Stragglers stragglers = {};
  bool cut_off = false;  ///< true: the last line of the report is incomplete
};

/// Reads the report at `path`, which `troupe train --report` has written. Ignores an incomplete last line, which
/// remains if the run was killed while it wrote the line.
RunRecord read_run(const std::string& path);

}  // namespace troupe::cli
