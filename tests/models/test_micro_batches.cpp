#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models/data/batches/slices.hpp"
#include "models/sequence_trial.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

/// A layer of the user's own with a tensor: multiplies each channel by a number.
class Bend final : public CustomLayer {
 public:
  std::string kind() const override { return "bend"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  bool has_tensors() const override { return true; }
  bool takes_copies() const override { return true; }
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

/// Checks derivatives of the embedding, and of queries, keys and values, against differences of the loss with the same
/// random numbers. The network must begin with embedding(kVocabulary, 6) and linear(18): the flat layout has 42 floats
/// of the embedding, from float 48 on 36 each for queries, keys and values.
void check_drawn_gradient(SequenceTrial& trial, const ShardStep& step) {
  const auto loss = [&] { return trial.network->gradient(step, trial.samples(), trial.weights, trial.gradient); };
  loss();
  const AlignedFloats gradient = trial.gradient;
  for (const std::size_t first : {0, 48, 84, 120}) {
    const auto among = std::span(gradient).subspan(first, 36);
    const auto found = std::ranges::max_element(among, {}, [](float each) { return std::abs(each); });
    const std::size_t i = first + static_cast<std::size_t>(found - among.begin());
    constexpr float kStep = 1e-2F;
    const float weight = trial.weights[i];
    trial.weights[i] = weight + kStep;
    const double above = loss();
    trial.weights[i] = weight - kStep;
    const double difference = (above - loss()) / (2 * static_cast<double>(kStep));
    trial.weights[i] = weight;
    CAPTURE(i);
    CHECK(difference != 0);
    CHECK(static_cast<double>(gradient[i]) == doctest::Approx(difference).epsilon(0.02));
  }
}

}  // namespace

TEST_CASE("the gradient of a batch is the sum over its micro-batches, also for layers that cannot add it") {
  std::vector<Graph> all = sequence_graphs();
  all.push_back(sequence_chain({embedding(kVocabulary, 8), std::make_shared<Bend>(), linear(kVocabulary)}));
  for (const Graph& graph : all) {
    CAPTURE(graph.layers().size());
    SequenceTrial trial(graph, 9, 5);
    trial.network->prepare_training(/*memory=*/true, /*slices=*/true);
    AlignedFloats sum(trial.gradient.size(), 7.0F);
    double loss = 0;
    int number = 0;
    for (const std::int64_t first : {0, 2, 4}) {
      const Batch part = slice(trial.samples(), first, std::min<std::int64_t>(2, 5 - first));
      loss += trial.network->gradient({}, part, trial.weights, sum, nullptr, {.number = number++, .last = first == 4});
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

TEST_CASE("dropout in a residual and in attention differs between shards, steps and micro-batches") {
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
    return trial.network->gradient(step, trial.samples(), trial.weights, trial.gradient, nullptr, {.number = part});
  };
  CHECK(loss({.step = 1}, 0) == loss({.step = 1}, 0));
  CHECK(loss({.step = 1}, 0) != loss({.step = 2}, 0));
  CHECK(loss({.shard = 1, .step = 1}, 0) != loss({.step = 1}, 0));
  CHECK(loss({.step = 1}, 1) != loss({.step = 1}, 0));
  CHECK(trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum == plain);
  check_drawn_gradient(trial, {.step = 3});
}

TEST_CASE("dropout in attention over more positions than one tile has the gradient of its loss") {
  SequenceTrial trial(
      Graph({embedding(kVocabulary, 6), linear(18), attention({.heads = 2, .dropout = 0.3}), linear(kVocabulary)}), 261,
      1);
  trial.network->prepare_training(/*memory=*/true, /*slices=*/false);
  check_drawn_gradient(trial, {.step = 3});
}

TEST_CASE("a smaller last micro-batch must suit the layers, too") {
  const std::shared_ptr<const DataSource> images = std::make_shared<const Dataset>(
      Dataset::classes({2, 1, 1}, std::vector<float>(20, 1.0F), {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 2));
  const auto make = [&](std::int64_t batch_size, std::int64_t micro_batch) {
    return [=] {
      network({batch_norm(), flatten(), linear(2)}, {.train = images}, batch_size, nullptr, {}, micro_batch);
    };
  };
  CHECK(code_of(make(10, 5)) == std::nullopt);
  CHECK(code_of(make(8, 3)) == std::nullopt);
  CHECK(code_of(make(0, 3)) == std::nullopt);
  CHECK(code_of(make(10, 3)) == ErrorCode::invalid_argument);
}
