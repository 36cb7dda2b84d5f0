#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// `--checkpoint`, `--checkpoint-every`, `--keep` and `--resume`.
struct CheckpointFlags {
  std::string folder;
  std::string every;
  int keep = 3;
  bool resume = false;

  void add_to(CLI::App& app);
  /// @throws Error invalid_argument for texts that say nothing.
  void apply(Options& options) const;
};

}  // namespace troupe::cli
