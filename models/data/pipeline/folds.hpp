#pragma once

#include <cstdint>
#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// One of the folds of a cross-validation.
struct Fold {
  int number = 1;  ///< from 1 on
  int folds = 2;
};

/// What names begin with that tell of a fold.
inline constexpr const char* kFoldPrefix = "fold:";

/// Of all folds by name: the usual one of `to_cv`.
inline constexpr std::uint64_t kFoldSeed = 1;

/// Of "2/5". @throws Error invalid_argument
Fold parse_fold(const std::string& text);

/// Data whose validation set is a fold of the training set, and whose training set is the rest. Which samples those are
/// depends on the data and the number of folds alone, as those of `to_cv` with its usual seed.
/// @throws Error invalid_argument for more folds than samples
TrainingData fold_of(TrainingData all, const Fold& fold);

}  // namespace troupe::data
