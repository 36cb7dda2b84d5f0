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

/// Numbers of steps, thinned for a chart. Any number of steps is stored as at most about two thousand stretches, each
/// with the minimum, maximum and sum of its steps' numbers. When the stretches are full, pairs are joined, so each
/// stretch covers twice as many steps.
template <std::size_t Width>
class Thinned {
 public:
  static constexpr std::size_t kMostStretches = 2048;  ///< more than a chart has pixels

  struct Stretch {
    double first = 0;  ///< step
    double last = 0;
    std::int64_t count = 0;
    std::array<double, Width> least{};
    std::array<double, Width> most{};
    std::array<double, Width> sum{};
  };

  /// Adds a step, which must be later than the previous ones. Numbers must be finite.
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

  std::int64_t length_ = 1;  ///< steps per stretch
  std::vector<Stretch> stretches_;
};

/// The result of an evaluation after an epoch.
struct RecordedEvaluation {
  double loss = 0;
  double accuracy = 0;
};

struct RecordedEpoch {
  std::int64_t epoch = 0;
  double loss = 0;
  double accuracy = 0;  ///< in training; NaN if the loss has no accuracy
  double learning_rate = 0;
  double rate = 0;  ///< samples per second
  std::optional<RecordedEvaluation> test = {};
  std::optional<RecordedEvaluation> validation = {};
};

/// A worker that was replaced, or removed for good.
struct RecordedRepair {
  std::int64_t step = 0;
  std::string what;  ///< worker, node, phase and what happened
};

// Indices of a step's numbers in charts.
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

/// Figures of local SGD and L-BFGS; zero for other algorithms.
struct RecordedAlgorithm {
  std::int64_t local_steps = 0;  ///< steps between the last two means
  double drift = 0;              ///< drift at the last mean
  std::int64_t evaluations = 0;
  std::int64_t portions = 0;
  std::int64_t backups = 0;
  double objective = 0;  ///< at the end, as is `largest`, the gradient's largest float
  double largest = 0;
  std::string end = {};
};

/// A run as recorded in its report. Memory does not grow with the number of steps.
struct RunRecord {
  static constexpr std::size_t kMostEpochs = 5000;
  static constexpr std::size_t kMostRepairs = 1000;

  std::int64_t steps = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::int64_t samples = 0;
  double seconds = 0;  ///< of all steps
  double last_loss = 0;
  std::string strategy = {};  ///< of the last step, as are `precision` and `algorithm`
  std::string precision = {};
  std::string algorithm = {};
  RecordedAlgorithm did = {};
  Thinned<kStepNumbers> numbers = {};
  std::deque<RecordedEpoch> epochs = {};            ///< the last kMostEpochs
  std::deque<RecordedMeasure> between_epochs = {};  ///< the last kMostEpochs
  std::vector<RecordedRepair> repairs = {};         ///< the first kMostRepairs
  std::int64_t num_repairs = 0;
  Stragglers stragglers = {};
  bool cut_off = false;  ///< the last line was incomplete
};

/// Reads a report of `troupe train --report`. Ignores an incomplete last line, which a run leaves if it is killed while
/// it writes.
/// @throws Error bad_file that names the file and the line
RunRecord read_run(const std::string& path);

}  // namespace troupe::cli
