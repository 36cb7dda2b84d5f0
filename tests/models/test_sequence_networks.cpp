#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/aligned.hpp"
#include "models/devices/slices.hpp"
#include "models/files.hpp"
#include "models/losses/batch_loss.hpp"
#include "models/network/device_network.hpp"
#include "runtime/random.hpp"
#include "sequence_reference.hpp"
#include "support/errors.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using namespace troupe::testing;

namespace {

constexpr std::int64_t kVocabulary = 7;

/// A network of sequence layers with random weights, tokens and labels, and its loss and gradient.
struct SequenceTrial {
  SequenceTrial(Graph its_graph, std::int64_t num_positions, std::int64_t batch_size)
      : graph(std::move(its_graph)),
        positions(num_positions),
        batch(batch_size),
        plan(plan_network(graph, std::vector{positions}, kVocabulary, positions)),
        network(make_network(plan, losses::softmax_cross_entropy(), batch, {})) {
    Random random(3);
    for (const LayerTensor& tensor : plan.tensors)
      for (std::size_t i = 0; i < tensor.info.size(); ++i)
        parameters.push_back(static_cast<float>((tensor.start == LayerTensor::Start::constant ? tensor.scale : 0) +
                                                0.5 * random.normal()));
    for (std::int64_t i = 0; i < batch * positions; ++i) {
      values.push_back(static_cast<float>(random.below(kVocabulary)));
      labels.push_back(random.below(4) == 0 ? kIgnoredLabel : static_cast<std::int32_t>(random.below(kVocabulary)));
    }
    weights.resize(network->size());
    gradient.assign(network->size(), 7.0F);
    network->copy_canonical(parameters, weights);
    loss = network->gradient({}, samples(), weights, gradient);
  }

  Batch samples() const { return {batch, values, labels, {}}; }
  double exact_loss(std::span<const double> at) const { return sequence_loss(graph, samples(), positions, at); }

  Graph graph;
  std::int64_t positions;
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  std::vector<float> parameters;  ///< canonical
  AlignedFloats values, weights, gradient;
  std::vector<std::int32_t> labels;
  double loss = 0;
};

/// Compares the loss with plain loops in double, and each derivative with central differences of these. The tolerance
/// is relative to the largest derivative of the tensor.
void check_exact(const SequenceTrial& trial) {
  std::vector<double> at(trial.parameters.begin(), trial.parameters.end());
  CHECK(trial.loss == doctest::Approx(trial.exact_loss(at)).epsilon(1e-6));
  std::vector<float> gradient(trial.parameters.size());
  trial.network->to_canonical(trial.gradient, 0, gradient);
  std::size_t index = 0;
  for (const LayerTensor& tensor : trial.plan.tensors) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < tensor.info.size(); ++i) {
      constexpr double kStep = 1e-4;
      const double before = at[index + i];
      at[index + i] = before + kStep;
      const double above = trial.exact_loss(at);
      at[index + i] = before - kStep;
      differences.push_back((above - trial.exact_loss(at)) / (2 * kStep));
      at[index + i] = before;
    }
    double largest = 0.01;
    for (const double each : differences) largest = std::max(largest, std::abs(each));
    double worst = 0;
    for (std::size_t i = 0; i < differences.size(); ++i)
      worst = std::max(worst, std::abs(differences[i] - static_cast<double>(gradient[index + i])));
    INFO(tensor.info.name, ": ", worst, " of ", largest);
    CHECK(worst < 2e-5 * largest);
    index += tensor.info.size();
  }
}

/// A layer of the user's own with a tensor: multiplies each channel by a number.
class Bend final : public CustomLayer {
 public:
  std::string kind() const override { return "bend"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override {
    return {{.info = {"factors", {input.channels}}, .scale = 1}};
  }
  void forward(const Forward& at) const override {
    for (std::size_t i = 0; i < at.input.size(); ++i) at.output[i] = at.input[i] * at.tensors[i % at.tensors.size()];
  }
  void backward(const Backward& at) const override {
    std::ranges::fill(at.tensors_gradient, 0.0F);
    for (std::size_t i = 0; i < at.input.size(); ++i) {
      const std::size_t channel = i % at.tensors.size();
      at.tensors_gradient[channel] += at.output_gradient[i] * at.input[i];
      if (!at.input_gradient.empty()) at.input_gradient[i] = at.output_gradient[i] * at.tensors[channel];
    }
  }
};

Graph chain(const std::vector<Layer>& layers) { return Graph(layers); }

std::vector<Graph> graphs() {
  std::vector<Graph> all;
  all.push_back(chain({embedding(kVocabulary, 5), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 4), positions(9), linear(kVocabulary, {.bias = false})}));
  all.push_back(chain({embedding(kVocabulary, 21), layer_norm(), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 17), layer_norm(/*bias=*/false), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 33), rms_norm(), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 6), linear(18), attention({.heads = 2}), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 12), attention({.heads = 1, .causal = false}), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 8), linear(10), gelu(GeluForm::tanh), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 8), linear(10), gelu(), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 8), linear(10), swiglu(), linear(kVocabulary)}));
  all.push_back(chain({embedding(kVocabulary, 8), linear(10), relu(), linear(kVocabulary)}));
  all.push_back(gpt({.layers = 2, .heads = 2, .width = 8, .window = 9, .vocabulary = kVocabulary}));
  return all;
}

}  // namespace

TEST_CASE("gradients of sequence layers equal differences of plain loops in double") {
  for (const Graph& graph : graphs())
    for (const std::int64_t batch : {1, 3}) {
      CAPTURE(graph.layers().size());
      check_exact(SequenceTrial(graph, 9, batch));
    }
}

TEST_CASE("attention with more queries than one tile has the same gradients") {
  Graph graph({embedding(kVocabulary, 2), linear(6), attention({.heads = 1}), linear(kVocabulary)});
  check_exact(SequenceTrial(graph, 261, 1));
}

TEST_CASE("the gradient of a batch is the sum over its micro-batches, also for layers that cannot add it") {
  std::vector<Graph> all = graphs();
  all.push_back(chain({embedding(kVocabulary, 8), std::make_shared<Bend>(), linear(kVocabulary)}));
  for (const Graph& graph : all) {
    CAPTURE(graph.layers().size());
    SequenceTrial trial(graph, 9, 5);
    trial.network->prepare_training(/*memory=*/true, /*slices=*/true);
    AlignedFloats sum(trial.gradient.size(), 7.0F);
    double loss = 0;
    int number = 0;
    for (const std::int64_t first : {0, 2, 4}) {
      const Batch part = slice(trial.samples(), first, std::min<std::int64_t>(2, 5 - first));
      loss += trial.network->gradient({}, part, trial.weights, sum, nullptr, number++);
    }
    CHECK(loss == doctest::Approx(trial.loss).epsilon(1e-6));
    float largest = 0;
    float worst = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      largest = std::max(largest, std::abs(trial.gradient[i]));
      worst = std::max(worst, std::abs(sum[i] - trial.gradient[i]));
    }
    CHECK(worst < 1e-5F * largest);
  }
}

TEST_CASE(
    "dropout in a residual and in attention differs between shards, steps and micro-batches") {
  Graph graph;
  auto at = graph.append("wte", embedding(kVocabulary, 6), {Graph::input()});
  const auto before = at;
  at = graph.append("c_attn", linear(18), {at});
  at = graph.append("", attention({.heads = 2, .dropout = 0.5}), {at});
  at = graph.append("c_proj", linear(6), {at});
  at = graph.append("", dropout(0.5), {at});
  at = graph.append("", models::add(), {at, before});
  graph.append("head", linear(kVocabulary), {at});
  SequenceTrial trial(graph, 9, 3);
  const double plain = trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum;
  trial.network->prepare_training(/*memory=*/true, /*slices=*/true);
  const auto loss = [&](const ShardStep& step, int part) {
    return trial.network->gradient(step, trial.samples(), trial.weights, trial.gradient, nullptr, part);
  };
  CHECK(loss({.step = 1}, 0) == loss({.step = 1}, 0));
  CHECK(loss({.step = 1}, 0) != loss({.step = 2}, 0));
  CHECK(loss({.shard = 1, .step = 1}, 0) != loss({.step = 1}, 0));
  CHECK(loss({.step = 1}, 1) != loss({.step = 1}, 0));
  CHECK(trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum == plain);
  // The gradient is that of the loss with the same random numbers.
  const ShardStep step{.step = 3};
  loss(step, 0);
  const AlignedFloats gradient = trial.gradient;
  for (const std::size_t i : {std::size_t{3}, std::size_t{45}, std::size_t{120}}) {
    constexpr float kStep = 1e-2F;
    const float weight = trial.weights[i];
    trial.weights[i] = weight + kStep;
    const double above = loss(step, 0);
    trial.weights[i] = weight - kStep;
    const double difference = (above - loss(step, 0)) / (2 * static_cast<double>(kStep));
    trial.weights[i] = weight;
    CHECK(static_cast<double>(gradient[i]) == doctest::Approx(difference).epsilon(0.02));
  }
}

TEST_CASE("a vocabulary whose outputs take several chunks has the same gradients") {
  constexpr std::int64_t kMany = 3000;
  Graph graph({embedding(kMany, 3), linear(kMany)});
  const NetworkPlan plan = plan_network(graph, std::vector<std::int64_t>{150}, kMany, 150);
  const auto network = make_network(plan, losses::softmax_cross_entropy(), 2, {});
  Random random(5);
  AlignedFloats weights(network->size()), gradient(network->size()), values(300);
  std::vector<float> parameters;
  for (const LayerTensor& tensor : plan.tensors)
    for (std::size_t i = 0; i < tensor.info.size(); ++i) parameters.push_back(static_cast<float>(random.normal()));
  network->copy_canonical(parameters, weights);
  std::vector<std::int32_t> labels(300);
  for (std::size_t i = 0; i < 300; ++i) {
    values[i] = static_cast<float>(random.below(kMany));
    labels[i] = i % 7 == 0 ? kIgnoredLabel : static_cast<std::int32_t>(random.below(kMany));
  }
  const Batch batch{2, values, labels, {}};
  const double loss = network->gradient({}, batch, weights, gradient);
  std::vector<double> at(parameters.begin(), parameters.end());
  CHECK(loss == doctest::Approx(sequence_loss(graph, batch, 150, at)).epsilon(1e-6));
  CHECK(network->evaluate({}, batch, weights).loss_sum == doctest::Approx(loss).epsilon(1e-6));
  CHECK(network->evaluate({}, batch, weights).samples == 257);
  std::vector<float> canonical(parameters.size());
  network->to_canonical(gradient, 0, canonical);
  for (const std::size_t i : {std::size_t{3} * static_cast<std::size_t>(values[1]), std::size_t{9000},
                              std::size_t{9001}, std::size_t{17999}, std::size_t{20999}}) {
    constexpr double kStep = 1e-4;
    const double before = at[i];
    at[i] = before + kStep;
    const double above = sequence_loss(graph, batch, 150, at);
    at[i] = before - kStep;
    const double difference = (above - sequence_loss(graph, batch, 150, at)) / (2 * kStep);
    at[i] = before;
    CHECK(static_cast<double>(canonical[i]) == doctest::Approx(difference).epsilon(1e-4));
  }
}

TEST_CASE("a token that the embedding does not have is an error") {
  SequenceTrial trial(graphs().front(), 9, 2);
  for (const float token : {7.0F, -1.0F, std::nanf("")}) {
    trial.values[11] = token;
    check_throws(ErrorCode::bad_data, "at position 2 is not in the vocabulary of 7",
                 [&] { trial.network->gradient({}, trial.samples(), trial.weights, trial.gradient); });
  }
}

TEST_CASE("a layer of a sequence that does not fit is refused") {
  const auto refuse = [](const std::vector<Layer>& layers, const std::string& what) {
    check_throws(ErrorCode::invalid_argument, what,
                 [&] { plan_network(Graph(layers), std::vector<std::int64_t>{9}, kVocabulary, 9); });
  };
  const Layer start = embedding(kVocabulary, 12);
  refuse({start, positions(8), linear(kVocabulary)}, "has 8 positions, but the window of the data has 9");
  refuse({start, attention({.heads = 3}), linear(kVocabulary)}, "has 3 heads, which do not divide 4 channels");
  refuse({start, linear(13), attention({.heads = 1}), linear(kVocabulary)}, "needs queries, keys and values");
  refuse({start, linear(13), swiglu(), linear(kVocabulary)}, "an even number of channels");
  refuse({start, batch_norm(), linear(kVocabulary)}, "needs images, but gets a sequence of 9 positions x 12");
  refuse({start, conv2d(3, {.kernel = 1}), linear(kVocabulary)}, "needs images");
  refuse({start, flatten(), linear(kVocabulary)}, "cannot flatten a sequence");
  refuse({linear(5), layer_norm(), linear(kVocabulary)}, "needs a sequence, but gets 5 flat features");
  refuse({start, linear(kVocabulary, {.tied = "0"})}, "cannot have a bias");
  refuse({start, linear(kVocabulary, {.bias = false, .tied = "x"})}, "is tied to a layer 'x', but no earlier layer");
  refuse({start, linear(5), linear(kVocabulary, {.bias = false, .tied = "0"})}, "needs a weight of 7 x 5, but");
  refuse({start, linear(3)}, "but the loss needs 9 positions x 7 outputs");
  refuse({linear(kVocabulary)}, "but the loss needs 9 positions x 7 outputs");
}
