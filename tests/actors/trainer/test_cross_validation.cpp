#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "actors/test_models.hpp"
#include "actors/trainer/train_functions.hpp"
#include "support/errors.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/transform.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::trainer_options;

namespace {

std::vector<float> all_values(const DataSource& data) {
  const auto count = static_cast<std::size_t>(data.info().num_samples);
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  std::vector<float> values(count * static_cast<std::size_t>(data.info().sample_size()));
  std::vector<std::int32_t> labels(count);
  data.fill({numbers, values, labels, {}});
  return values;
}

/// Returns the values that all ranks returned for data set or fold `i`, in the order of ranks.
std::vector<float> of_all_ranks(const RunResults& results, std::size_t i) {
  std::vector<float> all;
  for (const TaskResult& each : results)
    for (const float value : each.json.at(i).get<std::vector<float>>()) all.push_back(value);
  std::ranges::sort(all);
  return all;
}

/// Returns the accuracies of the folds, in order. Checks that each was reported once.
std::vector<double> accuracies(RunHandle& running) {
  std::vector<double> all;
  for (const Report& report : running) {
    CHECK(report.metrics.at("cv") == all.size());
    all.push_back(report.metrics.at("accuracy"));
  }
  return all;
}

}  // namespace

TEST_CASE("a function cross-validates with the same folds on any number of workers") {
  const auto folds = data::to_cv(load_data("numbered").train, 5);
  std::vector<double> expected;
  for (const Placement placement : kPlacements)
    for (const int workers : {1, 2, 3}) {
      CAPTURE(workers);
      Trainer trainer(trainer_options(placement, workers));
      RunHandle running = trainer.run_generator("cv", {}, {.dataset = "numbered"});
      const std::vector<double> measured = accuracies(running);
      REQUIRE(measured.size() == 5);
      if (expected.empty()) expected = measured;
      CHECK(measured == expected);
      for (std::size_t fold = 0; fold < 5; ++fold)
        CHECK(of_all_ranks(running.returns(), fold) == all_values(*folds[fold].test));
    }
  CHECK(std::ranges::min(expected) < std::ranges::max(expected));
}

TEST_CASE("a run can have several data sets, given by name and by value") {
  const auto folds = data::to_cv(load_data("numbered").train, 2);
  for (const Placement placement : kPlacements) {
    Trainer trainer(trainer_options(placement, 2));
    const RunResults results =
        trainer.run("datasets", {}, {.dataset = {"fold:1/2:numbered", "numbered", "fold:2/2:numbered"}});
    CHECK(results[0].json.size() == 3);
    CHECK(of_all_ranks(results, 0) == all_values(*folds[0].train));
    CHECK(of_all_ranks(results, 1).size() == 60);
    CHECK(of_all_ranks(results, 2) == all_values(*folds[1].train));
    CHECK(trainer.run("datasets")[1].json == Json::array());
    CHECK(trainer.run("datasets", {}, {.dataset = ""})[1].json == Json::array());
    CHECK(trainer.run("datasets", {}, {.dataset = std::vector<std::string>(7, "numbered")})[1].json.size() == 7);
  }
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto mixed = trainer.run("datasets", {}, {.dataset = {folds[1], "numbered", folds[0]}});
  CHECK(of_all_ranks(mixed, 0) == all_values(*folds[1].train));
  CHECK(of_all_ranks(mixed, 1).size() == 60);
  CHECK(of_all_ranks(mixed, 2) == all_values(*folds[0].train));
  CHECK(trainer.run("datasets", {}, {.dataset = folds})[0].json.size() == 2);
  const auto by_value = [] { return here().num_datasets() * 100 + here().dataset(1).shard().num_samples(); };
  CHECK(trainer.run(by_value, {}, {.dataset = {folds[1], "numbered"}})[0].json == 230);
}

TEST_CASE("missing data sets are refused") {
  Trainer trainer(trainer_options(Placement::in_process, 1));
  const auto said = [&](auto function, const RunDatasets& data) {
    return message_of([&] { trainer.run(function, {}, {.dataset = data}); });
  };
  const auto third = [] { here().dataset(2); };
  CHECK(said(third, {"numbered", "numbered"}).find("there is no data set 2; the run has 2, counted from 0") !=
        std::string::npos);
  CHECK(said([] { here().dataset(-1); }, "numbered").find("there is no data set -1; the run has 1") !=
        std::string::npos);
  CHECK(said(third, {}).find("this run has no data") != std::string::npos);
  CHECK(said("datasets", {"numbered", ""}).find("neither a name nor a training set") != std::string::npos);
  CHECK(said("datasets", {"numbered", "numberd"}).find("did you mean 'numbered'") != std::string::npos);
  CHECK(said("datasets", std::vector<std::string>(1000, std::string(2000, 'a'))).find("the maximum is 1048576") !=
        std::string::npos);
  CHECK(said([] { here().dataset().to_cv(1); }, "numbered").find("1 folds are impossible for 60 samples") !=
        std::string::npos);
  CHECK(said([] { here().dataset().to_cv(61); }, "numbered").find("61 folds are impossible for 60 samples") !=
        std::string::npos);
  CHECK(said([] { here().dataset().validation_shard(); }, "numbered").find("no validation set") != std::string::npos);
  CHECK(said([] { here().dataset().test_shard(); }, "synthetic-linear").find("no test set") != std::string::npos);
  Trainer processes(trainer_options(Placement::processes, 1));
  CHECK(code_of([&] {
          processes.run("datasets", {}, {.dataset = {"numbered", load_data("numbered")}});
        }) == ErrorCode::unsupported);
  CHECK(trainer.run("datasets", {}, {.dataset = "numbered"})[0].json.size() == 1);
}

TEST_CASE("outside of a trainer, a function can use folds and several data sets, too") {
  const TrainingData numbered = load_data("numbered");
  const StandaloneContext alone({.datasets = {numbered, load_data("synthetic-linear")}});
  CHECK(here().num_datasets() == 2);
  CHECK(here().dataset(1).shard().num_samples() == 1000);
  const auto folds = here().dataset().to_cv(4);
  REQUIRE(folds.size() == 4);
  CHECK(folds[3].validation_shard().num_samples() == 15);
  CHECK(folds[3].test_shard().all().values == std::vector<float>{1000});
  CHECK(code_of([&] { StandaloneContext({.dataset = numbered, .datasets = {numbered}}); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([&] { StandaloneContext({.datasets = {numbered, {}}}); }) == ErrorCode::invalid_argument);
}

TEST_CASE("random transforms apply only to training samples") {
  std::vector<float> values(80);
  std::iota(values.begin(), values.end(), 1.0F);
  const auto images = std::make_shared<const Dataset>(
      Dataset::classes({2, 2}, values, std::vector<std::int32_t>(20, 0), /*num_classes=*/1));
  const RunDataset dataset(data::transform({images, images}, "flip"), 0, 1, 7);
  CHECK(dataset.shard().all().values != values);
  CHECK(dataset.test_shard().all().values == values);
  const RunDataset fold = dataset.to_cv(2)[1];
  CHECK(fold.validation_shard().all().values == all_values(*data::to_cv(images, 2)[1].test));
  CHECK(fold.shard().all().values != all_values(*data::to_cv(images, 2)[1].train));
}
