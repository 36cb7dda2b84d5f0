#include <doctest/doctest.h>

#include <cmath>

#include "models/aligned.hpp"
#include "models/metrics/measured_samples.hpp"
#include "models/metrics/metric_registry.hpp"
#include "support/errors.hpp"
#include "support/started.hpp"
#include "troupe/layers.hpp"
#include "troupe/metric.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::testing;

namespace {

constexpr EvaluationOptions kMeasureAll{.confusion = true, .top_k = 2, .errors = true};

Metric own_output() {
  return {"own-output", [](std::span<const float> outputs, const Target& target) {
            return static_cast<double>(outputs[static_cast<std::size_t>(target.label)]);
          }};
}

/// Evaluates a model with these weights on its whole test set.
EvaluationResult measured(std::unique_ptr<Model> model, std::span<const float> canonical,
                          const EvaluationOptions& measure) {
  model->start({});
  AlignedFloats weights(model->info().size);
  model->from_canonical(canonical, weights);
  return model->evaluate({.measure = measure}, weights);
}

EvaluationResult measured_network(const std::shared_ptr<const Dataset>& data, std::int64_t outputs,
                                  const EvaluationOptions& measure, std::vector<Metric> metrics = {},
                                  const std::shared_ptr<const Loss>& loss = nullptr) {
  return measured(network({linear(outputs)}, {data, data}, 0, loss, std::move(metrics)),
                  identity_weights(static_cast<std::size_t>(outputs)), measure);
}

void check_target(const TargetSums& sums, double squares, double absolutes, double mean, double deviation) {
  CHECK(sums.squared_error == doctest::Approx(squares).epsilon(1e-12));
  CHECK(sums.absolute_error == doctest::Approx(absolutes).epsilon(1e-12));
  CHECK(sums.mean == doctest::Approx(mean).epsilon(1e-12));
  CHECK(sums.deviation == doctest::Approx(deviation).epsilon(1e-9));
}

}  // namespace

TEST_CASE("a network measures the confusion matrix, top-k accuracy and custom metrics") {
  const EvaluationResult result = measured_network(measured_classes(), 4, kMeasureAll, {own_output()});
  CHECK(result.samples == 10);
  CHECK(result.correct == 4);
  CHECK(result.confusion == kMeasuredConfusion);
  CHECK(result.top_k_correct == kMeasuredTop2);
  CHECK(result.metric_sums == std::vector<double>{kMeasuredOwnOutputs});
  CHECK(result.targets.empty());
}

TEST_CASE("only requested measures and custom metrics are computed") {
  const EvaluationResult result = measured_network(measured_classes(), 4, {}, {own_output()});
  CHECK(result.correct == 4);
  CHECK(result.confusion.empty());
  CHECK_FALSE(result.top_k_correct);
  CHECK(result.metric_sums.size() == 1);
  CHECK(measured_network(measured_targets(), 2, {}).targets.empty());
}

TEST_CASE("of equal outputs the first counts as the largest, and NaN counts as larger than all") {
  const std::vector<float> outputs{1, 1, NAN, 0};
  const auto hits = [&](std::int32_t label, int k) {
    SampleMetrics metrics({.num_classes = 4}, {.top_k = k}, {});
    metrics.add(*losses::softmax_cross_entropy(), outputs, {.label = label});
    EvaluationResult result;
    metrics.write_to(result);
    return *result.top_k_correct;
  };
  CHECK(hits(0, 1) == 0);
  CHECK(hits(0, 2) == 1);
  CHECK(hits(1, 2) == 0);
  CHECK(hits(1, 3) == 1);
  CHECK(hits(3, 3) == 0);
  CHECK(hits(2, 3) == 0);
  CHECK(hits(2, 100) == 1);
}

TEST_CASE("top-1 accuracy equals the accuracy of an evaluation") {
  CHECK(measured_network(measured_classes(), 4, {.top_k = 1}).top_k_correct == 4);
  CHECK(measured_network(measured_classes(), 4, {.top_k = 4}).top_k_correct == 10);
}

TEST_CASE("errors and variance of each target are accurate, even with a large offset") {
  for (const float offset : {0.0F, 1048576.0F}) {
    const EvaluationResult result = measured_network(measured_targets(offset), 2, kMeasureAll);
    REQUIRE(result.targets.size() == 2);
    check_target(result.targets[0], 1.5, 2, 3.2 + static_cast<double>(offset), 13.3);
    check_target(result.targets[1], 24, 8, 30.8 + static_cast<double>(offset), 1060.8);
    CHECK(result.confusion.empty());
    CHECK_FALSE(result.top_k_correct);
  }
}

TEST_CASE("errors are computed from the loss's transformed outputs") {
  const auto data = std::make_shared<const Dataset>(Dataset::targets({1}, {0, 0}, {0, 1}));
  const auto result = measured_network(data, 1, {.errors = true}, {}, losses::sigmoid_cross_entropy());
  check_target(result.targets.at(0), 0.5, 1, 0.5, 0.5);  // the sigmoid of 0 is 0.5
}

TEST_CASE("linear and softmax regression measure like networks") {
  const EvaluationResult classes =
      measured(softmax_regression({measured_classes(), measured_classes()}, 0), identity_weights(4), kMeasureAll);
  CHECK(classes.confusion == kMeasuredConfusion);
  CHECK(classes.top_k_correct == kMeasuredTop2);
  const auto data = std::make_shared<const Dataset>(Dataset::targets({1}, {1, 2, 3}, {2, 2, 5}));
  const auto targets = measured(linear_regression({data, data}), std::vector<float>{1}, kMeasureAll).targets;
  check_target(targets.at(0), 5, 3, 3, 6);
}

TEST_CASE("a network without one output for each class has a loss, but no measures by class") {
  struct Three final : Loss {
    Three() : Loss("three") {}
    std::int64_t num_outputs(const DataInfo& /*data*/) const override { return 3; }
    double value(std::span<const float> /*outputs*/, const Target& /*target*/) const override { return 1; }
    double gradient(std::span<const float> /*outputs*/, const Target& /*target*/,
                    std::span<float> /*gradient*/) const override {
      return 1;
    }
  };
  const std::vector<float> weights(4 * 3 + 3);
  const auto three = std::make_shared<const Three>();
  const auto classes =
      measured(network({linear(3)}, {measured_classes(), measured_classes()}, 0, three), weights, kMeasureAll);
  CHECK(classes.samples == 10);
  CHECK(classes.confusion.empty());
  CHECK_FALSE(classes.top_k_correct);
}

TEST_CASE("a confusion matrix with too many classes is refused if it is requested") {
  const int most = kMostConfusionClasses;
  const auto code = [](const DataInfo& data, const EvaluationOptions& measure) {
    return code_of([&] { SampleMetrics(data, measure, {}); });
  };
  CHECK_FALSE(code({.num_classes = most}, kMeasureAll));
  CHECK(code({.num_classes = most + 1}, {.confusion = true}) == ErrorCode::unsupported);
  CHECK_FALSE(code({.num_classes = most + 1}, {.top_k = 5, .errors = true}));
  CHECK_FALSE(code({.num_targets = kMostErrorTargets}, kMeasureAll));
  CHECK(code({.num_targets = kMostErrorTargets + 1}, {.errors = true}) == ErrorCode::unsupported);
}

TEST_CASE("the Brier score is the squared distance of probabilities from the class") {
  const Metric brier = find_metric("brier-score");
  CHECK(brier.value(std::vector<float>{0, 0}, {.label = 1}) == doctest::Approx(0.5));
  CHECK(brier.value(std::vector<float>{std::log(3.0F), 0}, {.label = 0}) == doctest::Approx(2.0 / 16));
  CHECK(code_of([&] { brier.value(std::vector<float>{1}, {}); }) == ErrorCode::bad_data);
}

TEST_CASE("metrics have unique names and are requested in a model's configuration") {
  CHECK(code_of([] {
          register_metric({"brier-score", [](auto, const auto&) { return 1.0; }});
        }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { register_metric({"nothing", {}}); }) == ErrorCode::invalid_argument);
  const std::string unknown = message_of([] { find_metric("brier-scor"); });
  CHECK_MESSAGE(unknown.find("did you mean 'brier-score'?") != std::string::npos, unknown);
  const auto of_network = [](std::vector<Metric> metrics) {
    return code_of([&] { measured_network(measured_classes(), 4, {}, std::move(metrics)); });
  };
  CHECK(of_network({own_output(), own_output()}) == ErrorCode::invalid_argument);
  CHECK(of_network({{"nothing", {}}}) == ErrorCode::invalid_argument);
  const std::string spoiled = message_of([] {
    measured_network(measured_classes(), 4, {}, {{"spoiled", [](auto, const auto&) { return NAN; }}});
  });
  CHECK_MESSAGE(spoiled.find("metric 'spoiled' returned a value that is not finite") != std::string::npos, spoiled);
}
