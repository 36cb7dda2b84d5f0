#pragma once

#include "cli/train/options/train_options.hpp"

namespace troupe::cli {

/// Trains once for each of `options.cross_validate` folds, from the beginning, and prints what each fold measures, and
/// mean and deviation over folds. Returns the exit status. @throws Error invalid_argument for options that make no
/// sense of several trainings, before the first
int cross_validate(const TrainOptions& options);

}  // namespace troupe::cli
