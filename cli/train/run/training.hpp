#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// What shells add to the number of a signal.
inline constexpr int kSignalled = 128;

/// Trains, and prints how that goes and what came of it. Returns the exit status.
int train(const TrainOptions& options);

/// What the training on a fold came to.
struct FoldResult {
  std::int64_t steps = 0;
  std::optional<Evaluation> evaluation = {};  ///< of the validation set, after the last step; none if it was stopped
  std::optional<int> signal = {};             ///< that came meanwhile
};

/// Trains without the fold that `options.run.validate` names, and measures that. Keeps nothing. @param title of the
/// fold, such as "fold 2 of 5"
FoldResult train_fold(const TrainOptions& options, const std::string& title);

}  // namespace troupe::cli
