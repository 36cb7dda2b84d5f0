#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// If a signal has stopped the training, the exit status is this number plus the number of the signal, as in shells.
inline constexpr int kSignalled = 128;

/// Trains a network as `options` require, and prints progress and results. Returns the exit status.
int train(const TrainOptions& options);

/// The result of one training in a cross-validation, which trains without one fold and evaluates this fold.
struct FoldResult {
  std::int64_t steps = 0;
  std::optional<Evaluation> evaluation =
      {};  ///< evaluation of the fold after the last step; none if a signal has stopped the training
  std::optional<int> signal = {};  ///< the signal that has arrived during the training, if any
};

/// Trains without the fold that `options.run.validate` names, such as "fold:2/5", and evaluates this fold. Saves no
/// weights.
/// @param title title of the training in printed lines, such as "fold 2 of 5"
FoldResult train_fold(const TrainOptions& options, const std::string& title);

}  // namespace troupe::cli
