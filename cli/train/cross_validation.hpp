#pragma once

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// Cross-validates: divides the training set into `options.cross_validate` folds. For each fold, trains from the
/// beginning without the fold, and evaluates the fold. Prints the result of each fold, and the mean and standard
/// deviation over the folds. Returns the exit status.
/// @throws Error invalid_argument, before the first training, if an option cannot be used for several trainings
int cross_validate(const TrainOptions& options);

}  // namespace troupe::cli
