#pragma once

#include <cstdint>
#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// A fold of a cross-validation.
struct Fold {
  int number = 1;  ///< counted from 1
  int folds = 2;
};

/// The prefix of names that denote a fold.
inline constexpr const char* kFoldPrefix = "fold:";

/// The seed of named folds: the default of `to_cv`.
inline constexpr std::uint64_t kFoldSeed = 1;

/// Parses text such as "2/5". @throws Error invalid_argument
Fold parse_fold(const std::string& text);

/// Uses a fold of the training set for validation; the rest remains for training. The choice of samples depends only on
/// the data and the number of folds, as with the default seed of `to_cv`.
/// @throws Error invalid_argument for more folds than samples
TrainingData fold_of(TrainingData all, const Fold& fold);

}  // namespace troupe::data
