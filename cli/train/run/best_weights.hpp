#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Of --keep-best without --checkpoint: the file of --save holds the best weights so far.
class BestWeights {
 public:
  /// @param metric "accuracy" or "loss". @param file empty: nothing is kept
  BestWeights(std::string metric, std::string file) : metric_(std::move(metric)), file_(std::move(file)) {}

  /// Saves the weights where these are better than all before; of equals the first stay. @param value of the metric;
  /// none: it is not finite
  void offer(DistributedSGD& sgd, std::optional<double> value);

  /// Whether the file holds some.
  bool is_kept() const { return best_.has_value(); }
  /// "best weights saved to FILE: accuracy 0.9312, after step 600"
  std::string text() const;

 private:
  bool is_better(double value) const { return !best_ || (metric_ == "loss" ? value < *best_ : value > *best_); }

  std::string metric_;
  std::string file_;
  std::optional<double> best_;
  std::int64_t step_ = 0;
};

/// What is printed of them.
std::string best_weights_text(const std::string& file, const std::string& metric, double value, std::int64_t step);

}  // namespace troupe::cli
