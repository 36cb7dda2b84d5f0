#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// Added by shells to the number of a signal.
inline constexpr int kSignalled = 128;

/// Trains, and prints progress and results. Returns the exit status.
int train(const TrainOptions& options);

/// The result of the training on a fold.
struct FoldResult {
  std::int64_t steps = 0;
  std::optional<Evaluation> evaluation = {};  ///< of the validation set, after the last step; none if it was stopped
  std::optional<int> signal = {};             ///< a signal that arrived during the training
};

/// Trains without the fold that `options.run.validate` names, and evaluates that fold. Saves nothing. @param title
/// title of the fold, such as "fold 2 of 5"
FoldResult train_fold(const TrainOptions& options, const std::string& title);

}  // namespace troupe::cli
