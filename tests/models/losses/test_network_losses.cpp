#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "models/aligned.hpp"
#include "models/files.hpp"
#include "runtime/random.hpp"
#include "support/started.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::testing;

namespace {

constexpr std::int64_t kFeatures = 5;
constexpr std::int64_t kLossSamples = 150;  // more than one pass of an evaluation

/// Random numbers in [0, 1): the values of the samples, and `targets` targets a sample.
struct LossSamples {
  explicit LossSamples(std::int64_t each) : targets(each) {
    Random random(static_cast<std::uint64_t>(targets));
    for (std::int64_t i = 0; i < kLossSamples * kFeatures; ++i) values.push_back(random.uniform());
    for (std::int64_t i = 0; i < kLossSamples * targets; ++i) wanted.push_back(random.uniform());
  }

  TrainingData data(const std::vector<std::int64_t>& shape = {kFeatures}) const {
    const auto set = std::make_shared<const Dataset>(Dataset::targets(shape, values, wanted, targets));
    return {set, set};
  }

  std::int64_t targets;
  std::vector<float> values;
  std::vector<float> wanted;
};

/// A linear layer. Weights are in canonical order: one row of features for each output, then the biases.
struct Linear {
  std::vector<float> weights;
  std::int64_t outputs;

  std::vector<float> of(const LossSamples& samples, std::int64_t sample) const {
    std::vector<float> result;
    for (std::int64_t o = 0; o < outputs; ++o) {
      double sum = at(outputs * kFeatures + o);
      for (std::int64_t f = 0; f < kFeatures; ++f)
        sum += at(o * kFeatures + f) *
               static_cast<double>(samples.values[static_cast<std::size_t>(sample * kFeatures + f)]);
      result.push_back(static_cast<float>(sum));
    }
    return result;
  }

  double at(std::int64_t i) const { return static_cast<double>(weights[static_cast<std::size_t>(i)]); }
};

/// The expected loss, hits and gradient of a linear layer, in double.
struct Expected {
  EvaluationResult result;
  std::vector<double> gradient;
};

Expected expect(const Loss& loss, const LossSamples& samples, const Linear& linear) {
  Expected expected{{0, 0, kLossSamples}, std::vector<double>(linear.weights.size())};
  std::vector<float> slope(static_cast<std::size_t>(linear.outputs));
  for (std::int64_t i = 0; i < kLossSamples; ++i) {
    const auto each = static_cast<std::size_t>(samples.targets);
    const Target target{.values = std::span(samples.wanted).subspan(static_cast<std::size_t>(i) * each, each)};
    const std::vector<float> outputs = linear.of(samples, i);
    expected.result.loss_sum += loss.gradient(outputs, target, slope);
    expected.result.correct += loss.is_hit(outputs, target) ? 1 : 0;
    for (std::size_t o = 0; o < slope.size(); ++o) {
      for (std::size_t f = 0; f < kFeatures; ++f)
        expected.gradient[o * kFeatures + f] +=
            static_cast<double>(slope[o]) *
            static_cast<double>(samples.values[static_cast<std::size_t>(i) * kFeatures + f]);
      expected.gradient[slope.size() * kFeatures + o] += static_cast<double>(slope[o]);
    }
  }
  return expected;
}

std::vector<float> draw_values(std::size_t count) {
  Random random(7);
  std::vector<float> values(count);
  for (float& value : values) value = 2 * random.uniform() - 1;
  return values;
}

void check(Model& model, const std::shared_ptr<const Loss>& loss, const LossSamples& samples) {
  const Linear linear{draw_values(total_size(model.info().tensors)), samples.targets};
  const Expected expected = expect(*loss, samples, linear);
  AlignedFloats weights(model.info().size);
  AlignedFloats gradient(model.info().size, NAN);
  model.from_canonical(linear.weights, weights);
  const BatchResult step = model.gradient({}, weights, gradient);
  CHECK(step.samples == kLossSamples);
  CHECK(step.loss_sum == doctest::Approx(expected.result.loss_sum).epsilon(1e-5));
  std::vector<float> found(linear.weights.size());
  model.to_canonical(gradient, found);
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(static_cast<double>(found[i]) == doctest::Approx(expected.gradient[i]).epsilon(1e-4).scale(1));
  const EvaluationResult measured = model.evaluate({}, weights);
  CHECK(measured.samples == kLossSamples);
  CHECK(measured.correct == expected.result.correct);
  CHECK(measured.loss_sum == doctest::Approx(expected.result.loss_sum).epsilon(1e-5));
}

}  // namespace

TEST_CASE("a network with a custom loss learns all targets") {
  const auto absolute = std::make_shared<const FunctionLoss>(
      "first-absolute",
      [](std::span<const float> outputs, const Target& target) {
        return std::abs(static_cast<double>(outputs[0]) - static_cast<double>(target.values[0]));
      },
      [](std::span<const float> outputs, const Target& target, std::span<float> gradient) {
        std::ranges::fill(gradient, 0.0F);
        gradient[0] = outputs[0] > target.values[0] ? 1.0F : -1.0F;
      });
  for (const std::int64_t targets : {1, 3, 16, 17}) {
    CAPTURE(targets);
    const LossSamples samples(targets);
    for (const auto& loss :
         {losses::mean_squared_error(), losses::sigmoid_cross_entropy(), std::shared_ptr<const Loss>(absolute)}) {
      CAPTURE(loss->name());
      check(*started(network({linear(targets)}, samples.data(), 0, loss)), loss, samples);
      check(*started(network({conv2d(targets, {.kernel = 1}), flatten()}, samples.data({kFeatures, 1, 1}), 0, loss)),
            loss, samples);
    }
  }
}

TEST_CASE("the default loss for targets is the squared error") {
  const LossSamples samples(2);
  check(*started(network({linear(2)}, samples.data(), 0)), losses::mean_squared_error(), samples);
}

TEST_CASE("accuracy is the share of samples with all outputs on the right side") {
  const auto set = std::make_shared<const Dataset>(Dataset::targets({2}, {1, 1, 1, -1, -1, -1}, {1, 1, 1, 0, 1, 0}, 2));
  const auto model = started(network({linear(2)}, {set, set}, 0, losses::sigmoid_cross_entropy()));
  AlignedFloats weights(model->info().size);
  model->from_canonical(std::vector<float>{1, 0, 0, 1, 0, 0}, weights);  // the outputs equal the values
  CHECK(model->evaluate({}, weights).correct == 2);
  CHECK(started(network({linear(2)}, {set, set}, 0))->evaluate({}, weights).correct == 0);
}

TEST_CASE("the error about an invalid target contains the number of its sample, in training and evaluation") {
  std::vector<float> targets(kLossSamples, 0.5F);
  targets[140] = 3;
  const auto set =
      std::make_shared<const Dataset>(Dataset::targets({1}, std::vector<float>(kLossSamples), std::move(targets)));
  const auto model = started(network({linear(1)}, {set, set}, 0, losses::sigmoid_cross_entropy()));
  AlignedFloats weights(model->info().size);
  AlignedFloats gradient(model->info().size);
  const std::string words = "sample 140: target 3.000000 is not in [0, 1]";
  check_throws(ErrorCode::bad_data, words, [&] { model->gradient({}, weights, gradient); });
  check_throws(ErrorCode::bad_data, words, [&] { model->evaluate({}, weights); });
}

TEST_CASE("the number of a network's outputs must match the loss and the data") {
  const LossSamples samples(3);
  const auto refused = [&](const std::string& words, const Layer& last, const std::shared_ptr<const Loss>& loss) {
    check_throws(ErrorCode::invalid_argument, words, [&] { network({last}, samples.data(), 0, loss); });
  };
  refused("layer 0 (linear) has the output shape 4, but the loss needs 3 outputs for this data", linear(4), nullptr);
  refused("softmax-cross-entropy needs classes", linear(3), losses::softmax_cross_entropy());

  class None final : public Loss {
   public:
    None() : Loss("none") {}
    std::int64_t num_outputs(const DataInfo& /*data*/) const override { return 0; }
    double value(std::span<const float> /*outputs*/, const Target& /*target*/) const override { return 0; }
    double gradient(std::span<const float> /*outputs*/, const Target& /*target*/,
                    std::span<float> /*gradient*/) const override {
      return 0;
    }
  };
  refused("a loss with at least one output", linear(3), std::make_shared<const None>());
}
