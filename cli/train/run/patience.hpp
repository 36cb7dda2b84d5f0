#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// Counts the epochs since the best one. The values are stored in the folder of the checkpoints, so that a resumed run
/// ends where an uninterrupted run would.
class Patience {
 public:
  /// @param epochs 0: unlimited. @param metric the watched metric (lower is better) and set; stored values of another
  /// metric or set are ignored.
  /// @param folder folder of the checkpoints; empty: no values are stored.
  /// @param steps_done stored values up to this step are read; 0: none
  /// @throws Error bad_file for a damaged file
  Patience(std::int64_t epochs, std::string metric, const std::string& folder, std::int64_t steps_done);

  /// Adds the value after a step. Repeated calls for the same step have no effect.
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
  std::vector<std::pair<std::int64_t, double>> watched_;  ///< steps, and the values after them
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t since_best_ = 0;
};

}  // namespace troupe::cli
