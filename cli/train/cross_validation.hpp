#pragma once

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// Trains once for each of `options.cross_validate` folds, each time from the beginning and without that fold, which is
/// evaluated. Prints the result of each fold, and the mean and standard deviation over the folds. Returns the exit
/// status.
/// @throws Error invalid_argument, before the first training, for options that do not apply to several trainings
int cross_validate(const TrainOptions& options);

}  // namespace troupe::cli
