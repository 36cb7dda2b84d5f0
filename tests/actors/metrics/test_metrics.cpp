#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "actors/test_models.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

constexpr EvaluationOptions kMeasureAll{.confusion = true, .top_k = 3, .errors = true};
DistributedSGD measured_run(Placement placement, int workers, int devices, int shards, const std::string& config) {
  Options options = quiet_options(placement, workers);
  options.compute.devices_per_worker = devices;
  options.num_shards = shards;
  options.config = config;
  return {"mlp", options};
}

bool same(const ClassMetrics& a, const ClassMetrics& b) {
  return a.precision == b.precision && a.recall == b.recall && a.f1 == b.f1 && a.support == b.support;
}

bool same(const TargetMetrics& a, const TargetMetrics& b) { return a.mse == b.mse && a.mae == b.mae && a.r2 == b.r2; }

template <class T>
void check_same_list(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(same(a[i], b[i]));
}

/// Compares bitwise.
void check_same(const Evaluation& a, const Evaluation& b) {
  CHECK(a.loss == b.loss);
  CHECK(a.accuracy == b.accuracy);
  CHECK(a.samples == b.samples);
  CHECK(a.top_k_accuracy == b.top_k_accuracy);
  CHECK(a.confusion == b.confusion);
  check_same_list(a.classes, b.classes);
  CHECK(same(a.macro, b.macro));
  check_same_list(a.targets, b.targets);
  CHECK(same(a.all_targets, b.all_targets));
  REQUIRE(a.metrics.size() == b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) CHECK(a.metrics[i].value == b.metrics[i].value);
}

/// A model that returns the results of a function of the shard.
class Telling final : public Model {
 public:
  using Tell = std::function<EvaluationResult(int shard)>;
  Telling(std::vector<std::string> metrics, Tell tell) : metrics_(std::move(metrics)), tell_(std::move(tell)) {}

  BatchResult gradient(const ShardStep&, std::span<const float>, std::span<float>) override { return {}; }
  EvaluationResult evaluate(const ShardStep& at, std::span<const float>) override { return tell_(at.shard); }

 protected:
  ModelInfo prepare(const ReplicaContext&) override { return {.size = 1, .metrics = metrics_}; }

 private:
  std::vector<std::string> metrics_;
  Tell tell_;
};

DistributedSGD telling_run(const Telling::Tell& tell, const std::vector<std::string>& metrics = {}) {
  Options options = quiet_options(Placement::in_process, 2);
  options.num_shards = 4;
  return {[=](const ReplicaContext&) { return std::make_unique<Telling>(metrics, tell); }, options};
}

/// Returns the error code of an evaluation of a model with such results, if any.
std::optional<ErrorCode> told(const Telling::Tell& tell, const std::vector<std::string>& metrics = {}) {
  auto sgd = telling_run(tell, metrics);
  return code_of([&] { sgd.evaluate(EvaluationSet::test, kMeasureAll); });
}

}  // namespace

TEST_CASE("measures are bitwise identical for any number of workers, devices and placement") {
  for (const char* data : {"measured-classes", "measured-targets"})
    for (const EvaluationSet set : {EvaluationSet::test, EvaluationSet::validation}) {
      const bool classes = std::string(data) == "measured-classes";
      const std::string config = std::string(R"({"batch_size": 2, "data": ")") + data + "\"" +
                                 (classes ? R"(, "metrics": ["own-output", "brier-score"]})" : "}");
      std::optional<Evaluation> first;
      for (const Placement placement : kPlacements)
        for (const auto& each : {std::pair{1, 1}, {2, 1}, {3, 1}, {2, 2}}) {
          CAPTURE(data);
          CAPTURE(each.first);
          auto sgd = measured_run(placement, each.first, each.second, 12, config);
          const Evaluation found = sgd.evaluate(set, kMeasureAll);
          if (!first) first = found;
          check_same(found, *first);
        }
      CHECK(first->samples == (set == EvaluationSet::test ? 40 : 30));
    }
}

TEST_CASE("an evaluation reports counts per class, names of classes, and user-defined metrics") {
  auto sgd = measured_run(Placement::in_process, 2, 1, 12,
                          R"({"batch_size": 1, "data": "measured-classes", "metrics": ["own-output"]})");
  const Evaluation found = sgd.evaluate(EvaluationSet::test, kMeasureAll);
  REQUIRE(found.classes.size() == 7);
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < 7; ++i) hits += found.confusion[i * 7 + i];
  CHECK(static_cast<double>(hits) / 40 == found.accuracy);
  CHECK(std::accumulate(found.confusion.begin(), found.confusion.end(), std::int64_t{0}) == 40);
  CHECK(found.classes[0].support == 7);
  CHECK(found.classes[6].support == 0);
  CHECK(found.classes[6].recall == 0);
  CHECK(found.class_names.at(0) == "Ära");
  CHECK(found.macro.support == 40);
  CHECK(found.top_k == 3);
  CHECK(*found.top_k_accuracy >= found.accuracy);
  CHECK(found.metrics.at(0).name == "own-output");
  CHECK(found.targets.empty());

  const Evaluation plain = sgd.evaluate();
  CHECK(plain.loss == found.loss);
  CHECK(plain.accuracy == found.accuracy);
  CHECK(plain.confusion.empty());
  CHECK(plain.classes.empty());
  CHECK_FALSE(plain.top_k_accuracy);
  CHECK(plain.metrics.at(0).value == found.metrics.at(0).value);
}

TEST_CASE("targets around one million have the same errors and spread as plain sums") {
  auto sgd = measured_run(Placement::in_process, 2, 1, 12, R"({"batch_size": 1, "data": "measured-targets"})");
  const Evaluation found = sgd.evaluate(EvaluationSet::test, kMeasureAll);
  const TrainingData data = load_data("measured-targets");
  std::vector<float> values(40 * 5);
  std::vector<float> targets(40 * 2);
  std::vector<std::int64_t> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 0);
  data.test->fill({numbers, values, {}, targets});
  REQUIRE(found.targets.size() == 2);
  for (std::size_t t = 0; t < 2; ++t) {
    double mean = 0;
    for (std::size_t i = 0; i < 40; ++i) mean += static_cast<double>(targets[2 * i + t]) / 40;
    double spread = 0;
    for (std::size_t i = 0; i < 40; ++i) spread += std::pow(static_cast<double>(targets[2 * i + t]) - mean, 2);
    // The initial outputs are near zero, so the errors are approximately the targets.
    CHECK(found.targets[t].mse == doctest::Approx(1e12).epsilon(1e-4));
    CHECK(found.targets[t].r2 == doctest::Approx(1 - found.targets[t].mse * 40 / spread).epsilon(1e-9));
  }
  CHECK(found.all_targets.mae == doctest::Approx((found.targets[0].mae + found.targets[1].mae) / 2));
}

TEST_CASE("shards without samples take no part in an evaluation") {
  const auto some = [](int shard) {
    if (shard % 2 == 0) return EvaluationResult{};
    EvaluationResult result{1, 1, 2, 2, {1, 1, 0, 0}, {{2, 2, static_cast<double>(shard), 0}}, {6}};
    return result;
  };
  auto telling = telling_run(some, {"six"});
  const Evaluation found = telling.evaluate(EvaluationSet::test, kMeasureAll);
  CHECK(found.confusion == std::vector<std::int64_t>{2, 2, 0, 0});
  CHECK(found.top_k_accuracy == 1.0);
  CHECK(found.targets.at(0).mse == 1);
  CHECK(found.targets.at(0).r2 == doctest::Approx(0));  // values 1 and 3, twice each
  CHECK(found.metrics.at(0).value == 3);
}

TEST_CASE("a model that returns only loss and hits can be evaluated with any options") {
  auto sgd = telling_run([](int) { return EvaluationResult{1, 1, 2}; });
  const Evaluation found = sgd.evaluate(EvaluationSet::test, kMeasureAll);
  CHECK(found.accuracy == 0.5);
  CHECK(found.samples == 8);
  CHECK(found.classes.empty());
  CHECK(found.targets.empty());
  CHECK_FALSE(found.top_k_accuracy);
}

TEST_CASE("an invalid result of a model's evaluation is an error of the model") {
  const EvaluationResult well{1, 1, 2, 1, {1, 1, 0, 0}, {{1, 1, 0, 1}}, {3}};
  const auto with = [&](const auto& change) {
    const auto tell = [=](int shard) {
      EvaluationResult result = well;
      if (shard == 2) change(result);
      return result;
    };
    return told(tell, {"three"});
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(with([](EvaluationResult&) {}));
  CHECK(with([](EvaluationResult& r) { r.top_k_correct = 3; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.top_k_correct = -1; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.top_k_correct.reset(); }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.confusion = {2, 1, 0, 0}; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.confusion = {3, -1, 0, 0}; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.confusion.clear(); }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.confusion.resize(9); }) == ErrorCode::model_failed);
  CHECK(told([](int) { return EvaluationResult{1, 1, 2, {}, {1, 1, 0}}; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.targets.clear(); }) == ErrorCode::model_failed);
  CHECK(with([&](EvaluationResult& r) { r.targets[0].squared_error = nan; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.targets[0].deviation = -1; }) == ErrorCode::model_failed);
  CHECK(with([&](EvaluationResult& r) { r.metric_sums[0] = nan; }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.metric_sums.clear(); }) == ErrorCode::model_failed);
  CHECK(with([](EvaluationResult& r) { r.samples = INT64_MAX; }) == ErrorCode::model_failed);
  const std::vector<std::int64_t> large(std::size_t{2049} * 2049);
  CHECK(with([&](EvaluationResult& r) { r.confusion = large; }) == ErrorCode::unsupported);
}

TEST_CASE("names of metrics must be printable and unique, and there may be at most 64") {
  const auto started = [](const std::vector<std::string>& metrics) {
    return code_of([&] { telling_run([](int) { return EvaluationResult{}; }, metrics); });
  };
  CHECK_FALSE(started({"a", "b"}));
  CHECK(started({"a", "a"}) == ErrorCode::model_failed);
  CHECK(started({"\x1b[2J"}) == ErrorCode::model_failed);
  std::vector<std::string> many;
  many.reserve(65);
  for (int i = 0; i < 65; ++i) many.push_back(std::to_string(i));
  CHECK(started(many) == ErrorCode::model_failed);
}

TEST_CASE("invalid evaluation options are refused before the evaluation starts") {
  auto sgd = telling_run([](int) { return EvaluationResult{1, 1, 2}; });
  CHECK(code_of([&] { sgd.evaluate(EvaluationSet::test, {.top_k = -1}); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { measured_run(Placement::in_process, 1, 1, 1, R"({"metrics": ["no-such"]})"); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([] { measured_run(Placement::in_process, 1, 1, 1, R"({"metrics": "brier-score"})"); }) ==
        ErrorCode::invalid_argument);
}
