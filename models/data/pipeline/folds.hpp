#pragma once

#include <cstdint>
#include <string>

#include "troupe/data.hpp"

namespace troupe::data {

/// Selects one fold of a cross-validation with `folds` folds.
struct Fold {
  int number = 1;  ///< number of the selected fold, counted from 1
  int folds = 2;
};

/// The prefix of data names that select a fold of other data, such as "fold:2/5:NAME" for the second of five folds of
/// the data NAME.
inline constexpr const char* kFoldPrefix = "fold:";

/// The seed with which samples are assigned to folds if a data name selects a fold (kFoldPrefix). It is equal to the
/// default seed of `to_cv`, so the folds are the same.
inline constexpr std::uint64_t kFoldSeed = 1;

/// Returns the fold that `text` describes, such as "2/5" for the second of five folds.
/// @throws Error invalid_argument if `text` does not have the form I/K, with K of at least 2 and I from 1 to K
Fold parse_fold(const std::string& text);

/// Divides the training set of `all` into folds, and returns `all` with one fold as the validation set and the other
/// folds as the training set. The folds depend only on the data and the number of folds. They are equal to those that
/// `to_cv` returns with its default seed.
/// @throws Error invalid_argument if there are more folds than samples
TrainingData fold_of(TrainingData all, const Fold& fold);

}  // namespace troupe::data
