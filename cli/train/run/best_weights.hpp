#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Saves the best weights of the run so far to the file of --save. The command uses this class if --keep-best is given
/// without --checkpoint.
class BestWeights {
 public:
  /// @param metric the metric by which weights are compared: "accuracy" (higher is better) or "loss" (lower is better)
  /// @param file the file of --save; empty: no weights are kept
  BestWeights(std::string metric, std::string file) : metric_(std::move(metric)), file_(std::move(file)) {}

  /// Saves the current weights of `sgd` if `value`, the metric of these weights, is better than in all earlier calls.
  /// @param value none: the metric is infinite or NaN, so the weights are not saved
  void offer(DistributedSGD& sgd, std::optional<double> value);

  /// Returns whether weights have been saved.
  bool is_kept() const { return best_.has_value(); }
  /// Returns a sentence about the saved weights, such as "best weights saved to FILE: accuracy 0.9312, after step 600".
  /// Must not be called before weights have been saved.
  std::string text() const;

 private:
  bool is_better(double value) const { return !best_ || (metric_ == "loss" ? value < *best_ : value > *best_); }

  std::string metric_;
  std::string file_;
  std::optional<double> best_;
  std::int64_t step_ = 0;
};

/// Returns a sentence such as "best weights saved to FILE: accuracy 0.9312, after step 600".
/// @param step number of the step after which the weights were saved
std::string best_weights_text(const std::string& file, const std::string& metric, double value, std::int64_t step);

}  // namespace troupe::cli
