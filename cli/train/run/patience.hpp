#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// Counts the evaluations since the best one, for --patience. The values are also stored in the folder of the
/// checkpoints, so that a resumed run ends at the same step as an uninterrupted run.
class Patience {
 public:
  /// @param epochs number of evaluations without improvement after which training ends; 0: unlimited
  /// @param metric name of the watched metric (lower is better) and set. Stored values of another metric or set are
  /// ignored.
  /// @param folder folder of the checkpoints; empty: no values are stored
  /// @param steps_done number of steps that the resumed run has done: stored values up to this step are read; 0: none
  /// @throws Error bad_file if the file with the values is damaged
  Patience(std::int64_t epochs, std::string metric, const std::string& folder, std::int64_t steps_done);

  /// Adds the value of an evaluation after step `step`. A repeated call for the same step has no effect.
  void watch(std::int64_t step, double value);
  /// Returns whether training must end.
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
  std::vector<std::pair<std::int64_t, double>> watched_;  ///< steps with evaluations, and their values
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t since_best_ = 0;
};

}  // namespace troupe::cli
