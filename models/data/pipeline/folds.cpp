#include "models/data/pipeline/folds.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "models/data/builtin_data.hpp"
#include "models/data/pipeline/samples.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::data {
namespace {

void check_folds(const DataPtr& data, int folds) {
  const std::int64_t samples = data->info().num_samples;
  if (folds < 2 || folds > samples)
    throw_invalid(std::to_string(folds) + " folds are impossible for " + std::to_string(samples) +
                  " samples; use at least 2 and at most one per sample");
}

/// Returns one fold of `data` as the test set, and all other samples as the training set. The sample with the number
/// `order[i]` belongs to fold i % folds.
/// @param order the numbers of all samples in the order of `by_class`, so that each fold has about the same number of
/// samples of each class
/// @param fold the number of the fold, from 0
TrainingData take_fold(const DataPtr& data, const std::vector<std::int64_t>& order, int fold, int folds) {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
  for (std::size_t i = 0; i < order.size(); ++i)
    (static_cast<int>(i % static_cast<std::size_t>(folds)) == fold ? test : train).push_back(order[i]);
  std::ranges::sort(train);
  std::ranges::sort(test);
  return {select(data, std::move(train)), select(data, std::move(test))};
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::vector<TrainingData> to_cv(const DataPtr& data, int folds, std::uint64_t seed) {
  check_folds(data, folds);
  const std::vector<std::int64_t> order = by_class(data, seed);
  std::vector<TrainingData> pairs;
  pairs.reserve(static_cast<std::size_t>(folds));
  for (int fold = 0; fold < folds; ++fold) pairs.push_back(take_fold(data, order, fold, folds));
  return pairs;
}

TrainingData fold_of(TrainingData all, const Fold& fold) {
  check_folds(all.train, fold.folds);
  TrainingData pair = take_fold(all.train, by_class(all.train, kFoldSeed), fold.number - 1, fold.folds);
  return {std::move(pair.train), std::move(all.test), std::move(pair.test)};
}

Fold parse_fold(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = number_of(std::string_view(text).substr(0, slash));
  const auto folds = number_of(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !folds || *folds < 2 || *number < 1 || *number > *folds)
    throw_invalid("fold '" + printable(text) + "' must be I/K, such as 2/5, with K of at least 2 and I from 1 to K");
  return {*number, *folds};
}

}  // namespace troupe::data

namespace troupe {

TrainingData fold_of_named(const std::string& arguments, std::uint64_t seed) {
  return fold_of_named_like(arguments, {}, seed);
}

TrainingData fold_of_named_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed) {
  const std::size_t colon = arguments.find(':');
  if (colon == std::string::npos || colon + 1 == arguments.size())
    throw_invalid("data 'fold:" + printable(arguments) + "' does not have the form fold" + kFoldUsage);
  const std::string name = arguments.substr(colon + 1);
  const data::Fold fold = data::parse_fold(arguments.substr(0, colon));
  if (name.starts_with(data::kFoldPrefix))
    throw_invalid("data 'fold:" + printable(arguments) + "' is a fold of a fold, which is not supported");
  return data::fold_of(load_data(name, trained, seed), fold);
}

}  // namespace troupe
