#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// Counts the evaluations since the best evaluation, for the option --patience. The values of all evaluations are also
/// stored in the folder of the checkpoints. A resumed run reads them, and so ends at the same step as an uninterrupted
/// run.
class Patience {
 public:
  /// @param epochs number of evaluations without improvement after which training ends; 0: unlimited
  /// @param metric a text with the names of the watched metric (lower is better) and of the evaluated set. Stored
  /// values with another text are ignored.
  /// @param folder folder of the checkpoints; empty: no values are stored
  /// @param steps_done number of steps that a resumed run has done. Stored values of evaluations up to this step are
  /// read; 0: no values are read.
  /// @throws Error bad_file if the file with the values is damaged
  Patience(std::int64_t epochs, std::string metric, const std::string& folder, std::int64_t steps_done);

  /// Adds `value`, the metric of an evaluation after step `step`. A second call for the same step has no effect.
  void watch(std::int64_t step, double value);
  /// Returns whether training must end, because too many evaluations have brought no improvement.
  bool is_over() const { return epochs_ > 0 && since_best_ >= epochs_; }
  /// Returns the number of evaluations since the best one.
  std::int64_t since_best() const { return since_best_; }

 private:
  void count(double value);
  void read(std::int64_t steps_done);
  void keep() const;

  std::int64_t epochs_;
  std::string metric_;
  std::string path_;
  std::vector<std::pair<std::int64_t, double>> watched_;  ///< the evaluations so far: the step, and the value
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t since_best_ = 0;
};

}  // namespace troupe::cli
