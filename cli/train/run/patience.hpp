#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// Counts the epochs since the best one. What it has watched stands beside the checkpoints, so that a run that goes on
/// ends where one ends that was never stopped.
class Patience {
 public:
  /// @param epochs 0: endless. @param metric what is watched, of which less is better, and of
  /// which set; what was watched of another does not count. @param folder of the
  /// checkpoints; empty: nothing is kept. @param steps_done what was watched until then counts; 0: nothing
  /// @throws Error bad_file for a file that is damaged
  Patience(std::int64_t epochs, std::string metric, const std::string& folder, std::int64_t steps_done);

  /// What was found after a step; once, whoever tells it again.
  void watch(std::int64_t step, double value);
  bool is_over() const { return epochs_ > 0 && since_best_ >= epochs_; }
  std::int64_t since_best() const { return since_best_; }

 private:
  void count(double value);
  void read(std::int64_t steps_done);
  void keep() const;

  std::int64_t epochs_;
  std::string metric_;
  std::string path_;
  std::vector<std::pair<std::int64_t, double>> watched_;  ///< steps, and what was found after them
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t since_best_ = 0;
};

}  // namespace troupe::cli
