#pragma once

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// Trains from the beginning for each of `options.cross_validate` folds, and prints the result of each fold, and the
/// mean and deviation over folds. Returns the exit status.
/// @throws Error invalid_argument, before the first training, for options that do not apply to several trainings
int cross_validate(const TrainOptions& options);

}  // namespace troupe::cli
