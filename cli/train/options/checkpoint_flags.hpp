#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The values of the options `--checkpoint`, `--checkpoint-every`, `--keep`, `--keep-best`, `--resume` and `--reshard`.
struct CheckpointFlags {
  std::string folder;
  std::string every;
  int keep = CheckpointOptions().keep;
  std::string keep_best;  ///< metric of --keep-best: "accuracy" or "loss"; empty: the option was not given
  bool resume = false;
  bool reshard = false;

  void add_to(CLI::App& app);
  /// Sets the checkpoint options in `options` from these values. @throws Error invalid_argument for a malformed value
  void apply(Options& options) const;
  /// Returns the accuracy or the loss in the evaluation `test`, as `keep_best` selects. Returns none if `keep_best` is
  /// empty, or the value is infinite or NaN.
  std::optional<double> metric_of(const Evaluation& test) const;
  /// Copies the weights of the checkpoint with the best metric (see `keep_best`) to `file`, and prints the file, the
  /// metric and the step. Returns false if there is no checkpoint with a metric.
  bool save_best(const std::string& file) const;
};

}  // namespace troupe::cli
