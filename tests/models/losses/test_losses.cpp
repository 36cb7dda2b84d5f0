#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "models/files.hpp"
#include "models/losses/batch_loss.hpp"
#include "models/losses/pytorch_losses.hpp"
#include "runtime/random.hpp"
#include "troupe/loss.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kOutputs = 4;

DataInfo classes(int count) { return {.num_samples = 1, .shape = {1}, .num_classes = count}; }
DataInfo targets(std::int64_t count) { return {.num_samples = 1, .shape = {1}, .num_targets = count}; }

double squared(double x) { return x * x; }

/// Compares a loss with PyTorch on rows that are padded beyond their outputs, as on devices. The sum of the losses is
/// three times the mean.
/// @param evaluated the mean in evaluations, if it differs from the mean in steps
void check_against_pytorch(const Loss& loss, const Batch& batch, const pytorch::Result& wanted,
                           std::optional<double> evaluated = {}) {
  CAPTURE(loss.name());
  constexpr std::int64_t kWidth = 6;
  std::vector<float> outputs(kRows * kWidth, NAN);
  for (std::int64_t row = 0; row < kRows; ++row)
    std::copy_n(pytorch::kOutputs.begin() + row * kOutputs, kOutputs, outputs.begin() + row * kWidth);
  std::vector<float> gradient(outputs.size(), NAN);
  const OutputRows rows{outputs.data(), kOutputs, kWidth};
  CHECK(batch_loss_gradient(loss, rows, batch, gradient.data()) == doctest::Approx(3 * wanted.loss).epsilon(1e-6));
  CHECK(evaluate_batch_loss(loss, rows, batch).loss_sum ==
        doctest::Approx(3 * evaluated.value_or(wanted.loss)).epsilon(1e-6));
  for (std::int64_t i = 0; i < kRows * kWidth; ++i) {
    const auto found = static_cast<double>(gradient[static_cast<std::size_t>(i)]);
    const std::int64_t column = i % kWidth;
    const auto at = static_cast<std::size_t>(i / kWidth * kOutputs + column);
    CHECK(std::abs(found - (column < kOutputs ? 3 * wanted.gradient[at] : 0)) < 1e-6);
  }
}

/// Compares the gradient with differences of the value, which is computed in double.
void check_against_differences(const Loss& loss, std::vector<float> outputs, const Target& target) {
  CAPTURE(loss.name());
  std::vector<float> gradient(outputs.size(), NAN);
  CHECK(loss.gradient(outputs, target, gradient) == loss.value(outputs, target));
  constexpr float kStep = 0x1p-12F;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const float here = outputs[i];
    outputs[i] = here + kStep;
    const double above = loss.value(outputs, target);
    const double width = static_cast<double>(outputs[i]) - static_cast<double>(here - kStep);
    outputs[i] = here - kStep;
    const double difference = (above - loss.value(outputs, target)) / width;
    outputs[i] = here;
    CHECK(std::abs(static_cast<double>(gradient[i]) - difference) < 1e-6 * (1 + std::abs(difference)));
  }
}

/// Returns values in [-most, most], none at 0.
std::vector<float> draw(std::size_t count, float most, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = most * (2 * random.uniform() - 1);
  return values;
}

std::vector<float> probabilities(std::size_t count) {
  std::vector<float> values = draw(count, 0.5F, 5);
  for (float& value : values) value += 0.5F;
  values.front() = 0;
  values.back() = 1;
  return values;
}

}  // namespace

TEST_CASE("the built-in losses equal PyTorch's") {
  const Batch labels{kRows, {}, pytorch::kLabels, {}};
  check_against_pytorch(*losses::softmax_cross_entropy(), labels, pytorch::kSoftmax);
  check_against_pytorch(*losses::mean_squared_error(), {kRows, {}, {}, pytorch::kTargets}, pytorch::kSquares);
  check_against_pytorch(*losses::sigmoid_cross_entropy(), {kRows, {}, {}, pytorch::kProbabilities}, pytorch::kSigmoid);
}

TEST_CASE("label smoothing equals PyTorch's in steps, and evaluations ignore it") {
  const Batch labels{kRows, {}, pytorch::kLabels, {}};
  check_against_pytorch(*losses::softmax_cross_entropy(0.1), labels, pytorch::kSmoothed, pytorch::kSoftmax.loss);
  for (const double smoothing : {-0.1, 1.0, double{NAN}, double{INFINITY}})
    check_throws(ErrorCode::invalid_argument, "label smoothing must be at least 0 and less than 1",
                 [&] { (void)losses::softmax_cross_entropy(smoothing); });
}

TEST_CASE("label smoothing of many classes equals its formula in double") {
  constexpr double kSmoothing = 0.1;
  for (const std::size_t count : {1023, 1024, 5000}) {
    CAPTURE(count);
    const std::vector<float> outputs = draw(count, 4, count);
    const std::size_t label = count / 2;
    double exponentials = 0;
    double sum = 0;
    for (const float output : outputs) {
      exponentials += std::exp(static_cast<double>(output));
      sum += static_cast<double>(output);
    }
    const double others = kSmoothing / static_cast<double>(count);
    std::vector<float> gradient(count, NAN);
    const double loss = losses::softmax_cross_entropy(kSmoothing)
                            ->gradient(outputs, {.label = static_cast<std::int32_t>(label)}, gradient);
    const double right = static_cast<double>(outputs[label]);
    CHECK(loss == doctest::Approx(std::log(exponentials) - (1 - kSmoothing) * right - others * sum).epsilon(1e-6));
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double wanted =
          std::exp(static_cast<double>(outputs[i])) / exponentials - others - (i == label ? 1 - kSmoothing : 0);
      worst = std::max(worst, std::abs(static_cast<double>(gradient[i]) - wanted));
    }
    CHECK(worst < 1e-7);
  }
}

TEST_CASE("the built-in losses have the gradients of their values") {
  for (const std::size_t count : {1, 2, 7, 33}) {
    CAPTURE(count);
    const std::vector<float> outputs = draw(count, 4, count);
    const std::vector<float> numbers = draw(count, 3, count + 1);
    const std::vector<float> shares = probabilities(count);
    check_against_differences(*losses::softmax_cross_entropy(), outputs, {.label = static_cast<int>(count) / 2});
    check_against_differences(*losses::mean_squared_error(), outputs, {.values = numbers});
    check_against_differences(*losses::sigmoid_cross_entropy(), outputs, {.values = shares});
  }
}

TEST_CASE("outputs that would overflow an exponential give finite losses and gradients") {
  std::vector<float> gradient(2);
  const std::vector<float> outputs{-1e30F, 1e4F};
  const auto check = [&](const Loss& loss, const Target& target, double value, const std::vector<float>& wanted) {
    CAPTURE(loss.name());
    CHECK(loss.gradient(outputs, target, gradient) == doctest::Approx(value));
    CHECK(gradient == wanted);
  };
  const std::vector<float> right{0, 1};
  const std::vector<float> wrong{1, 0};
  check(*losses::softmax_cross_entropy(), {.label = 1}, 0, {0, 0});
  check(*losses::softmax_cross_entropy(), {.label = 0}, 1e30, {-1, 1});
  check(*losses::sigmoid_cross_entropy(), {.values = right}, 0, {0, 0});
  check(*losses::sigmoid_cross_entropy(), {.values = wrong}, 0.5e30, {-0.5F, 0.5F});
}

TEST_CASE("softmax counts the largest output as a hit, sigmoid all outputs on the right side, and squares no hits") {
  const auto softmax = losses::softmax_cross_entropy();
  const std::vector<float> outputs{0.5F, 2, -1};
  CHECK(softmax->is_hit(outputs, {.label = 1}));
  CHECK_FALSE(softmax->is_hit(outputs, {.label = 0}));
  const auto sigmoid = losses::sigmoid_cross_entropy();
  const auto hits = [&](const Loss& loss, const std::vector<float>& wanted) {
    return loss.is_hit(outputs, {.values = wanted});
  };
  CHECK(hits(*sigmoid, {1, 0.6F, 0.5F}));
  CHECK_FALSE(hits(*sigmoid, {1, 0.5F, 0}));
  CHECK_FALSE(hits(*sigmoid, {1, 1, 1}));
  CHECK_FALSE(sigmoid->is_hit(std::vector<float>{0}, {.values = std::vector<float>{1}}));
  CHECK_FALSE(hits(*losses::mean_squared_error(), outputs));
}

TEST_CASE("hits are counted over a batch") {
  const std::vector<float> outputs{1, 0, 0, 1, 0, 1};
  const std::vector<std::int32_t> labels{0, 1, 0};
  const EvaluationResult result =
      evaluate_batch_loss(*losses::softmax_cross_entropy(), {outputs.data(), 2, 2}, {3, {}, labels, {}});
  CHECK(result.correct == 2);
  CHECK(result.samples == 3);
}

TEST_CASE("a loss determines the number of outputs and refuses data that it cannot learn") {
  CHECK(losses::softmax_cross_entropy()->num_outputs(classes(5)) == 5);
  CHECK(losses::mean_squared_error()->num_outputs(targets(3)) == 3);
  CHECK(losses::sigmoid_cross_entropy()->num_outputs(targets(2)) == 2);
  const auto refused = [](const std::string& what, const Loss& loss, const DataInfo& data) {
    check_throws(ErrorCode::invalid_argument, what, [&] { (void)loss.num_outputs(data); });
  };
  refused("softmax-cross-entropy needs classes, but the data has 3 targets per sample",
          *losses::softmax_cross_entropy(), targets(3));
  refused("mean-squared-error needs targets, but the data has 5 classes", *losses::mean_squared_error(), classes(5));
  refused("sigmoid-cross-entropy needs targets", *losses::sigmoid_cross_entropy(), classes(2));
}

TEST_CASE("targets that are not probabilities are refused with the number of their sample") {
  const auto loss = losses::sigmoid_cross_entropy();
  const std::vector<float> outputs{1, 2, 3, 4};
  const std::vector<std::int64_t> numbers{70, 71};
  std::vector<float> gradient(4);
  for (const float wrong : {1.5F, -0.25F}) {
    const std::vector<float> shares{0, 1, 0.5F, wrong};
    const Batch batch{2, {}, {}, shares, numbers};
    const OutputRows rows{outputs.data(), 2, 2};
    const std::string words = "sample 71: target " + std::to_string(wrong) + " is not in [0, 1]";
    check_throws(ErrorCode::bad_data, words, [&] { batch_loss_gradient(*loss, rows, batch, gradient.data()); });
    check_throws(ErrorCode::bad_data, words, [&] { shared_batch_loss_gradient(*loss, rows, batch, gradient.data()); });
    check_throws(ErrorCode::bad_data, words, [&] { evaluate_batch_loss(*loss, rows, batch); });
  }
}

TEST_CASE("several threads compute bitwise identical results, and the error names the first bad sample") {
  constexpr std::int64_t kSamples = 300;
  constexpr std::int64_t kClasses = 1000;
  const auto loss = losses::softmax_cross_entropy(0.1);
  std::vector<float> outputs(kSamples * kClasses), alone(outputs.size()), shared(outputs.size(), NAN);
  Random random(7, 1);
  for (float& output : outputs) output = 4 * random.normal();
  std::vector<std::int32_t> labels;
  for (int i = 0; i < kSamples; ++i) labels.push_back(i % 3);
  const Batch batch{kSamples, {}, labels, {}};
  const OutputRows rows{outputs.data(), kClasses, kClasses};
  std::int64_t hits = 0, shared_hits = 0;
  const double sum = batch_loss_gradient(*loss, rows, batch, alone.data(), &hits);
  CHECK(shared_batch_loss_gradient(*loss, rows, batch, shared.data(), &shared_hits) == sum);
  CHECK(shared == alone);
  CHECK(shared_hits == hits);

  const auto shares = losses::sigmoid_cross_entropy();
  std::vector<float> wanted(outputs.size(), 0.5F);
  std::vector<std::int64_t> numbers(kSamples);
  std::iota(numbers.begin(), numbers.end(), 1000);
  for (const std::size_t wrong : {299U, 123U, 57U}) wanted[wrong * kClasses + 3] = 2;
  check_throws(ErrorCode::bad_data, "sample 1057: target ", [&] {
    shared_batch_loss_gradient(*shares, rows, {kSamples, {}, {}, wanted, numbers}, shared.data());
  });
}

TEST_CASE("derivatives that a loss does not write are zero, regardless of the previous content") {
  const FunctionLoss first(
      "first-only", [](std::span<const float>, const Target&) { return 0.0; },
      [](std::span<const float>, const Target&, std::span<float> gradient) { gradient[0] = 1; });
  const std::vector<float> outputs(8), wanted(6);
  std::vector<float> gradient(8, 7);
  const Batch batch{2, {}, {}, wanted};
  batch_loss_gradient(first, {.first = outputs.data(), .count = 3, .width = 4}, batch, gradient.data());
  CHECK(gradient == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0});
}

TEST_CASE("a custom loss is made from two functions") {
  const FunctionLoss fourth_power(
      "fourth-power",
      [](std::span<const float> outputs, const Target& target) {
        return squared(squared(static_cast<double>(outputs[0]) - static_cast<double>(target.values[0])));
      },
      [](std::span<const float> outputs, const Target& target, std::span<float> gradient) {
        gradient[0] = 4 * std::pow(outputs[0] - target.values[0], 3.0F);
      });
  CHECK(fourth_power.name() == "fourth-power");
  CHECK(fourth_power.num_outputs(targets(4)) == 4);
  CHECK(fourth_power.num_outputs(classes(7)) == 7);
  const std::vector<float> target{0.5F};
  check_against_differences(fourth_power, {1.25F}, {.values = target});
  CHECK_FALSE(fourth_power.is_hit(target, {.values = target}));
  const auto value = [](std::span<const float>, const Target&) { return 0.0; };
  check_throws(ErrorCode::invalid_argument, "loss 'half'", [&] { FunctionLoss("half", value, nullptr); });
  check_throws(ErrorCode::invalid_argument, "loss 'half'",
               [&] { FunctionLoss("half", nullptr, [](std::span<const float>, const Target&, std::span<float>) {}); });
}
