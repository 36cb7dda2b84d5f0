#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// For --keep-best without --checkpoint: keeps the best weights so far in the file of --save.
class BestWeights {
 public:
  /// @param metric "accuracy" or "loss". @param file empty: no weights are kept
  BestWeights(std::string metric, std::string file) : metric_(std::move(metric)), file_(std::move(file)) {}

  /// Saves the weights if they are better than all before; the first of equal ones is kept. @param value value of the
  /// metric; none: not finite
  void offer(DistributedSGD& sgd, std::optional<double> value);

  /// Returns whether weights have been saved.
  bool is_kept() const { return best_.has_value(); }
  /// Returns "best weights saved to FILE: accuracy 0.9312, after step 600".
  std::string text() const;

 private:
  bool is_better(double value) const { return !best_ || (metric_ == "loss" ? value < *best_ : value > *best_); }

  std::string metric_;
  std::string file_;
  std::optional<double> best_;
  std::int64_t step_ = 0;
};

/// Returns that text.
std::string best_weights_text(const std::string& file, const std::string& metric, double value, std::int64_t step);

}  // namespace troupe::cli
