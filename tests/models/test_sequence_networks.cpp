#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/aligned.hpp"
#include "models/files.hpp"
#include "models/losses/batch_loss.hpp"
#include "models/network/device_network.hpp"
#include "runtime/random.hpp"
#include "sequence_reference.hpp"
#include "sequence_trial.hpp"
#include "support/errors.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using namespace troupe::testing;

namespace {

double exact_loss(const SequenceTrial& trial, std::span<const double> at) {
  return sequence_loss(trial.graph, trial.samples(), trial.positions, at);
}

/// Compares the loss with plain loops in double, and each derivative with central differences of these. The tolerance
/// is relative to the largest derivative of the tensor.
void check_exact(const SequenceTrial& trial) {
  std::vector<double> at(trial.parameters.begin(), trial.parameters.end());
  CHECK(trial.loss == doctest::Approx(exact_loss(trial, at)).epsilon(1e-6));
  std::vector<float> gradient(trial.parameters.size());
  trial.network->to_canonical(trial.gradient, 0, gradient);
  std::size_t index = 0;
  for (const LayerTensor& tensor : trial.plan.tensors) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < tensor.info.size(); ++i) {
      constexpr double kStep = 1e-4;
      const double before = at[index + i];
      at[index + i] = before + kStep;
      const double above = exact_loss(trial, at);
      at[index + i] = before - kStep;
      differences.push_back((above - exact_loss(trial, at)) / (2 * kStep));
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

}  // namespace

TEST_CASE("gradients of sequence layers equal differences of plain loops in double") {
  for (const Graph& graph : sequence_graphs())
    for (const std::int64_t batch : {1, 3}) {
      CAPTURE(graph.layers().size());
      check_exact(SequenceTrial(graph, 9, batch));
    }
}

TEST_CASE("a window may be shorter than the embedding of positions") {
  check_exact(SequenceTrial(
      sequence_chain({embedding(kVocabulary, 4), positions(12), linear(kVocabulary, {.bias = false})}), 9, 3));
}

TEST_CASE("attention with more queries than one tile has the same gradients") {
  Graph graph({embedding(kVocabulary, 2), linear(6), attention({.heads = 1}), linear(kVocabulary)});
  check_exact(SequenceTrial(graph, 261, 1));
}

TEST_CASE("a vocabulary whose outputs take several chunks has the same gradients") {
  constexpr std::int64_t kMany = 3000;
  Graph graph({embedding(kMany, 3), linear(kMany)});
  const NetworkPlan plan = plan_network(graph, std::vector<std::int64_t>{150}, kMany, 150);
  const auto network = make_trial_network(plan, losses::softmax_cross_entropy(), 2, Precision::f32, /*frozen=*/false);
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

TEST_CASE("a residual whose branches begin at the same output has the right gradient") {
  const auto refined = [](const Layer& branch, bool once_more) {
    Graph graph;
    const auto x = graph.append("wte", embedding(kVocabulary, 6), {Graph::input()});
    const auto y = graph.append("branch", branch, {x});
    auto sum = graph.append("", models::add(), {y, x});
    if (once_more) sum = graph.append("", models::add(), {graph.append("norm", layer_norm(), {x}), sum});
    graph.append("head", linear(kVocabulary), {sum});
    return graph;
  };
  for (const bool once_more : {false, true}) {
    check_exact(SequenceTrial(refined(linear(6), once_more), 9, 3));
    check_exact(SequenceTrial(refined(layer_norm(), once_more), 9, 3));
    check_exact(SequenceTrial(refined(positions(9), once_more), 9, 3));
  }
  Graph graph;  // three readers of x, and activations that change gradients in place
  const auto x = graph.append("wte", embedding(kVocabulary, 6), {Graph::input()});
  const auto a = graph.append("", gelu(), {graph.append("a", linear(6), {x})});
  const auto b = graph.append("b", linear(6), {graph.append("", gelu(GeluForm::tanh), {x})});
  const auto sum = graph.append("", models::add(), {b, graph.append("", models::add(), {a, x})});
  graph.append("head", linear(kVocabulary), {graph.append("norm", rms_norm(), {sum})});
  check_exact(SequenceTrial(graph, 9, 3));
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
  refuse({start, linear(12), linear(12, {.bias = false, .tied = "1"}), linear(kVocabulary)}, "which is no embedding");
  refuse({linear(9), embedding(kVocabulary, 4), linear(kVocabulary)}, "must be the input of the network");
  refuse({start, linear(3)}, "but the loss needs 9 positions x 7 outputs");
  refuse({linear(kVocabulary)}, "but the loss needs 9 positions x 7 outputs");
}
