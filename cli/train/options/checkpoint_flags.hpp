#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The options `--checkpoint`, `--checkpoint-every`, `--keep`, `--keep-best`, `--resume` and `--reshard`.
struct CheckpointFlags {
  std::string folder;
  std::string every;
  int keep = CheckpointOptions().keep;
  std::string keep_best;  ///< "accuracy" or "loss"; empty: none
  bool resume = false;
  bool reshard = false;

  void add_to(CLI::App& app);
  /// Sets the library's checkpoint options. @throws Error invalid_argument for malformed texts
  void apply(Options& options) const;
  /// Returns the value in `test` of the metric that `keep_best` names. Returns none if `keep_best` is empty, or the
  /// value is infinite or NaN.
  std::optional<double> metric_of(const Evaluation& test) const;
  /// Copies the weights of the best checkpoint by `keep_best` to `file`, and prints the file, the metric and the step.
  /// Returns false if there is no such checkpoint.
  bool save_best(const std::string& file) const;
};

}  // namespace troupe::cli
