#pragma once

#include <cstdint>
#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// One fold of a cross-validation, and the number of all its folds.
struct Fold {
  int number = 1;  ///< counted from 1
  int folds = 2;
};

/// The prefix of data names that select a fold, such as fold:2/5:NAME.
inline constexpr const char* kFoldPrefix = "fold:";

/// The seed from which the folds of data names are drawn. It is equal to the default seed of `to_cv`.
inline constexpr std::uint64_t kFoldSeed = 1;

/// Returns the fold that `text` describes, such as "2/5" for the second of five folds.
/// @throws Error invalid_argument for any other text
Fold parse_fold(const std::string& text);

/// Returns `all` with one fold of its training set as the validation set. The other folds remain in the training set.
/// The folds depend only on the data and the number of folds. They are those of `to_cv` with its default seed.
/// @throws Error invalid_argument for more folds than samples
TrainingData fold_of(TrainingData all, const Fold& fold);

}  // namespace troupe::data
