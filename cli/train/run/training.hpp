#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// The exit status after a signal is this number plus the signal's number, as in shells.
inline constexpr int kSignalled = 128;

/// Trains a network, and prints progress and results. Returns the exit status.
int train(const TrainOptions& options);

/// The result of a training without one fold.
struct FoldResult {
  std::int64_t steps = 0;
  std::optional<Evaluation> evaluation =
      {};  ///< evaluation of the fold after the last step; none if a signal stopped the training
  std::optional<int> signal = {};  ///< a signal that arrived during the training
};

/// Trains without the fold that `options.run.validate` names, and evaluates that fold. Saves no weights. @param title
/// title of the training, such as "fold 2 of 5"
FoldResult train_fold(const TrainOptions& options, const std::string& title);

}  // namespace troupe::cli
