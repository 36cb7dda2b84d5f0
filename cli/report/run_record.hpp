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

/// Numbers that steps come with, for a chart: of however many steps, some thousand stretches, each with the least, the
/// most and the sum of its steps' numbers. Twice as many steps make stretches twice as long.
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

  /// Of a later step than the ones before. Numbers are finite.
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

  std::int64_t length_ = 1;  ///< steps of a stretch
  std::vector<Stretch> stretches_;
};

/// What an evaluation after an epoch found.
struct RecordedEvaluation {
  double loss = 0;
  double accuracy = 0;
};

struct RecordedEpoch {
  std::int64_t epoch = 0;
  double loss = 0;
  double accuracy = 0;  ///< in training; NaN where the loss has no such
  double learning_rate = 0;
  double rate = 0;  ///< samples a second
  std::optional<RecordedEvaluation> test = {};
  std::optional<RecordedEvaluation> validation = {};
};

/// A worker that was replaced, or went for good.
struct RecordedRepair {
  std::int64_t step = 0;
  std::string what;  ///< worker, node, phase and what happened
};

// Numbers of a step that charts show, by their places.
inline constexpr std::size_t kStepLoss = 0;
inline constexpr std::size_t kStepRate = 1;
inline constexpr std::size_t kStepCompute = 2;
inline constexpr std::size_t kStepReduce = 3;
inline constexpr std::size_t kStepApply = 4;
inline constexpr std::size_t kStepOther = 5;
inline constexpr std::size_t kStepNumbers = 6;

/// Of an evaluation between epochs, after so many steps.
struct RecordedMeasure {
  std::int64_t step = 0;
  std::string set = {};  ///< "test" or "validation"
  RecordedEvaluation evaluation = {};
};

/// What local SGD and L-BFGS did, of which others do nothing.
struct RecordedAlgorithm {
  std::int64_t local_steps = 0;  ///< from mean to mean, of the last
  double drift = 0;              ///< likewise
  std::int64_t evaluations = 0;
  std::int64_t portions = 0;
  std::int64_t backups = 0;
  double objective = 0;  ///< at last, as is the gradient's largest float
  double largest = 0;
  std::string end = {};
};

/// A run, as its report tells of it, in memory that does not grow with its steps.
struct RunRecord {
  static constexpr std::size_t kMostEpochs = 5000;
  static constexpr std::size_t kMostRepairs = 1000;

  std::int64_t steps = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::int64_t samples = 0;
  double seconds = 0;  ///< of all steps
  double last_loss = 0;
  std::string strategy = {};  ///< of the last step, as are the others
  std::string precision = {};
  std::string algorithm = {};
  RecordedAlgorithm did = {};
  Thinned<kStepNumbers> numbers = {};
  std::deque<RecordedEpoch> epochs = {};            ///< the last kMostEpochs
  std::deque<RecordedMeasure> between_epochs = {};  ///< likewise
  std::vector<RecordedRepair> repairs = {};         ///< the first kMostRepairs
  std::int64_t num_repairs = 0;
  Stragglers stragglers = {};
  bool cut_off = false;  ///< the last line was not whole
};

/// Reads a file that `troupe train --report` wrote. A last line that is not whole, as a run leaves that is killed while
/// it writes, is passed over. @throws Error bad_file that names file and line
RunRecord read_run(const std::string& path);

}  // namespace troupe::cli
