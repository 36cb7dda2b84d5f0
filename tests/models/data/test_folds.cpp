#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/builtin_models.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "models/registry.hpp"
#include "troupe/models.hpp"
#include "troupe/pipeline.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Returns samples 0, 1, ... in three classes of different sizes: 22, 7 and 4 of 33. The classes are not in turn.
TrainingData uneven_classes(const std::string& /*arguments*/, std::uint64_t /*seed*/) {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 33; ++i) {
    values.push_back(static_cast<float>(i));
    labels.push_back(i < 22 ? 0 : i < 29 ? 1 : 2);
  }
  const auto train = std::make_shared<const Dataset>(Dataset::classes({1}, std::move(values), std::move(labels), 3));
  const auto test = std::make_shared<const Dataset>(Dataset::classes({1}, {100}, {0}, 3));
  const auto validation = std::make_shared<const Dataset>(Dataset::classes({1}, {200}, {0}, 3));
  return {train, test, validation};
}

/// Returns ten samples; the first value equals the seed.
TrainingData drawn_values(const std::string& /*arguments*/, std::uint64_t seed) {
  std::vector<float> values(10);
  std::iota(values.begin(), values.end(), static_cast<float>(seed));
  return {std::make_shared<const Dataset>(Dataset::targets({1}, values, values))};
}

void register_fold_data() {
  [[maybe_unused]] static const bool once = [] {
    register_data("test-uneven", uneven_classes);
    register_data("test-drawn-values", drawn_values, {.drawn = true});
    return true;
  }();
}

std::vector<float> fold_values(const std::shared_ptr<const DataSource>& data) { return read_all(*data).values; }

std::string fold_name(int fold, int folds, const std::string& name) {
  return "fold:" + std::to_string(fold) + "/" + std::to_string(folds) + ":" + name;
}

std::vector<TrainingData> all_folds(int folds, const std::string& name, std::uint64_t seed = 1) {
  std::vector<TrainingData> all;
  for (int fold = 1; fold <= folds; ++fold) all.push_back(load_data(fold_name(fold, folds, name), seed));
  return all;
}

void no_fold(const std::string& what, const std::string& name) {
  CAPTURE(name);
  check_throws(ErrorCode::invalid_argument, what, [&] { load_data(name); });
}

/// Checks that each sample validates in exactly one fold and is trained on in all others.
void check_tiles(const std::vector<TrainingData>& folds, const std::vector<float>& all) {
  std::vector<float> validated;
  for (const TrainingData& fold : folds) {
    const std::vector<float> part = fold_values(fold.validation);
    std::vector<float> both = fold_values(fold.train);
    both.insert(both.end(), part.begin(), part.end());
    std::ranges::sort(both);
    CHECK(both == all);
    validated.insert(validated.end(), part.begin(), part.end());
  }
  std::ranges::sort(validated);
  CHECK(validated == all);
}

}  // namespace

TEST_CASE("each sample validates in one fold by name, and each fold has its share of every class") {
  register_fold_data();
  const TrainingData whole = load_data("test-uneven");
  for (const int folds : {2, 3, 5, 33}) {
    CAPTURE(folds);
    const auto all = all_folds(folds, "test-uneven");
    check_tiles(all, fold_values(whole.train));
    const auto pairs = data::to_cv(whole.train, folds);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<int> counts(3);
      for (const std::int32_t label : read_all(*all[i].validation).labels) ++counts[static_cast<std::size_t>(label)];
      CHECK((counts[0] == 22 / folds || counts[0] == 22 / folds + 1));
      CHECK((counts[1] == 7 / folds || counts[1] == 7 / folds + 1));
      CHECK((counts[2] == 4 / folds || counts[2] == 4 / folds + 1));
      CHECK(fold_values(all[i].test) == std::vector<float>{100});
      CHECK(fold_values(all[i].validation) == fold_values(pairs[i].test));
      CHECK(fold_values(all[i].train) == fold_values(pairs[i].train));
    }
  }
}

TEST_CASE("the split into folds does not depend on the seed of the run") {
  register_fold_data();
  for (int fold = 1; fold <= 3; ++fold) {
    const std::string name = fold_name(fold, 3, "test-uneven");
    CHECK(fold_values(load_data(name, 1).validation) == fold_values(load_data(name, 2).validation));
  }
  for (const std::uint64_t seed : {1, 20}) {
    check_tiles(all_folds(3, "test-drawn-values", seed), fold_values(load_data("test-drawn-values", seed).train));
    CHECK_FALSE(load_data("fold:1/3:test-drawn-values", seed).test);
  }
  CHECK(fold_values(load_data("fold:1/3:test-drawn-values", 20).validation)[0] ==
        fold_values(load_data("fold:1/3:test-drawn-values", 1).validation)[0] + 19);
}

TEST_CASE("an invalid fold is refused with a description of the valid form") {
  register_fold_data();
  for (const char* fold :
       {"", "1", "1/", "/2", "0/2", "3/2", "1/1", "1/0", "-1/2", "1/2x", " 1/2", "1/2/3", "1.0/2", "1/99999999999"})
    no_fold("fold '" + std::string(fold) + "' must be I/K, such as 2/5, with K of at least 2 and I from 1 to K",
            "fold:" + std::string(fold) + ":test-uneven");
  no_fold("34 folds are impossible for 33 samples", "fold:1/34:test-uneven");
  no_fold("data 'fold' does not have the form fold:I/K:NAME", "fold");
  for (const char* arguments : {"", "1/2", "1/2:"})
    no_fold("data 'fold:" + std::string(arguments) + "' does not have the form fold:I/K:NAME",
            "fold:" + std::string(arguments));
  no_fold("is a fold of a fold", "fold:1/2:fold:1/2:test-uneven");
  no_fold("no data source named 'test-unevem'", "fold:1/2:test-unevem");
  no_fold("did you mean 'fold'", "folds:1/2:test-uneven");
}

TEST_CASE("a model can validate with a fold of its data") {
  register_fold_data();
  models::register_builtin_models();
  const auto make = [](const std::string& config) { return find_model("softmax")({.config = config}); };
  const auto model = make(R"({"data": "test-uneven", "batch_size": 4, "validate": "fold:2/3"})");
  model->start({});
  CHECK(model->info().num_samples == fold_values(load_data("fold:2/3:test-uneven").train).size());
  const auto refuses = [&](const std::string& what, const std::string& config) {
    check_throws(ErrorCode::invalid_argument, what, [&] { make(config); });
  };
  refuses("fold '4/3' must be I/K", R"({"data": "test-uneven", "validate": "fold:4/3"})");
  refuses("already has a validation fold; remove \"validate\": '0.1'",
          R"({"data": "fold:1/3:test-uneven", "validate": "0.1"})");
}
