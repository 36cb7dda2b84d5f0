#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "network_trial.hpp"
#include "reference_network.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using Node = Graph::Node;

namespace {

/// A batch-norm followed by a residual addition, and before it a batch-norm with two gradients at its output.
Graph residual(bool with_relu) {
  Graph graph;
  Node node = graph.append("conv1", conv2d(17, {.kernel = 3, .padding = 1}), {Graph::input()});
  node = graph.append("bn1", batch_norm(), {node});
  if (with_relu) node = graph.append("", relu(), {node});
  Node sum =
      graph.append("bn2", batch_norm(), {graph.append("conv2", conv2d(17, {.kernel = 3, .padding = 1}), {node})});
  sum = graph.append("", add(), {sum, node});
  if (with_relu) sum = graph.append("", relu(), {sum});
  graph.append("fc", linear(kClasses), {graph.append("", global_average_pool(), {sum})});
  return graph;
}

std::vector<Case> batch_dependent_cases() {
  return {{"batch-norm first", {3, 7, 5}, {batch_norm(), flatten(), linear(kClasses)}},
          {"batch-norm",
           {2, 9, 11},
           {conv2d(18, {.kernel = 3, .stride = 2, .padding = 1}), batch_norm(), flatten(), linear(kClasses)}},
          {"batch-norm and ReLU",
           {5, 7, 5},
           {conv2d(17, {.kernel = 3}), batch_norm(), relu(), flatten(), linear(kClasses)}},
          {"batch-norm to the scores", {2, 3, 3}, {conv2d(kClasses, {.kernel = 3}), batch_norm(), flatten()}},
          {"batch-norm with an addend", {2, 6, 5}, residual(false)},
          {"batch-norm with an addend and ReLU", {2, 6, 5}, residual(true)},
          {"dropout", {9}, {linear(20), relu(), dropout(0.4), linear(kClasses)}},
          {"batch-norm, dropout",
           {2, 7, 5},
           {conv2d(5, {.kernel = 3}), dropout(0.3), batch_norm(), relu(), dropout(0.5), flatten(), linear(kClasses)}}};
}

/// Makes dropout the identity in the reference network, which computes only evaluations here.
void teach_dropout() {
  add_plain_layer("dropout", value_wise([](double x) { return x; }, [](double /*x*/) { return 1.0; }));
}

/// Place and expected value of a derivative.
struct Derivative {
  std::size_t place = 0;
  double expected = 0;
};

/// Returns central differences of the loss of an evaluation at up to a hundred places of a tensor; 0 for running
/// statistics.
std::vector<Derivative> differences(const NetworkTrial& trial, std::size_t first, std::size_t size) {
  constexpr double kStep = 1e-6;
  const ReferenceNetwork reference(trial.at.graph, trial.at.shape);
  const std::vector<bool> learned = trial.learned();
  std::vector<double> moved = trial.exact_parameters();
  const auto loss_at = [&](std::size_t i, double value) {
    const double kept = std::exchange(moved[i], value);
    const double loss = reference.evaluation_loss(trial.samples(), moved);
    moved[i] = kept;
    return loss;
  };
  std::vector<Derivative> result;
  for (std::size_t k = 0; k < std::min<std::size_t>(size, 100); ++k) {
    const std::size_t i = first + k * 7919 % size;  // a prime, so that all positions in a kernel occur
    const double value = moved[i];
    const double rise = learned[i] ? loss_at(i, value + kStep) - loss_at(i, value - kStep) : 0.0;
    result.push_back({i, rise / (2 * kStep)});
  }
  return result;
}

/// Checks derivatives, relative to the largest of their tensor.
void check_differences(const NetworkTrial& trial) {
  const std::vector<float> found = trial.canonical(trial.gradient);
  std::size_t first = 0;
  for (const LayerTensor& tensor : trial.plan.tensors) {
    CAPTURE(tensor.info.name);
    const std::vector<Derivative> derivatives = differences(trial, first, tensor.info.size());
    double tolerance = 1e-6;
    for (const auto& [place, expected] : derivatives) tolerance = std::max(tolerance, 1e-4 * std::abs(expected));
    for (const Derivative& derivative : derivatives) {
      const double gradient = static_cast<double>(found[derivative.place]);
      CHECK_MESSAGE(std::abs(gradient - derivative.expected) <= tolerance,
                    derivative.place << ": " << gradient << " should be " << derivative.expected);
    }
    first += tensor.info.size();
  }
}

/// Starts a model with six samples, all in one batch.
std::unique_ptr<Model> started(const std::vector<Layer>& layers, bool frozen) {
  std::vector<float> values;
  for (int i = 0; i < 6 * 16; ++i) values.push_back(static_cast<float>(i * 7 % 13) / 13);
  const auto set =
      std::make_shared<const Dataset>(Dataset::classes({1, 4, 4}, std::move(values), {0, 1, 2, 2, 1, 0}, kClasses));
  ReplicaContext context;
  context.frozen = frozen;
  std::unique_ptr<Model> model = network(layers, {.train = set, .test = set}, 6);
  model->start(context);
  return model;
}

std::string batch_dependent(const std::vector<Layer>& layers, bool frozen = false) {
  return started(layers, frozen)->info().batch_dependent;
}

}  // namespace

TEST_CASE("in frozen mode the loss is that of an evaluation, and the gradient is its derivative") {
  teach_dropout();
  for (const Case& at : batch_dependent_cases())
    for (const std::int64_t batch : {1, 5}) {
      CAPTURE(at.name);
      CAPTURE(batch);
      const NetworkTrial trial(at, batch, Precision::f32, /*frozen=*/true);
      CHECK(trial.loss == trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum);
      const ReferenceNetwork reference(at.graph, at.shape);
      CHECK(trial.loss ==
            doctest::Approx(reference.evaluation_loss(trial.samples(), trial.exact_parameters())).epsilon(1e-5));
      check_differences(trial);
    }
}

TEST_CASE("in frozen mode a sample's gradient does not depend on the other samples or the step") {
  for (const Case& at : batch_dependent_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5, Precision::f32, /*frozen=*/true);
    AlignedFloats first(trial.gradient.size()), second(trial.gradient.size());
    double loss = trial.network->gradient({.shard = 1, .step = 2}, trial.samples(0, 2), trial.weights, first);
    loss += trial.network->gradient({.shard = 2, .step = 3}, trial.samples(2, 3), trial.weights, second);
    CHECK(loss == doctest::Approx(trial.loss).epsilon(1e-6));
    const float tolerance = 1e-5F * std::max(largest(trial.gradient), 0.01F);
    bool close = true;
    for (std::size_t i = 0; i < first.size(); ++i)
      close = close && std::abs(first[i] + second[i] - trial.gradient[i]) <= tolerance;
    CHECK(close);
  }
}

TEST_CASE("in frozen mode statistics have no gradient and do not change, and padding stays zero") {
  for (const Case& at : batch_dependent_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5, Precision::f32, /*frozen=*/true);
    const std::size_t begin = trial.network->learned_size();
    const std::span<const float> slots = std::span(trial.gradient).subspan(begin);
    CHECK(std::ranges::count(slots, 0.0F) == std::ssize(slots));
    const std::span<const float> statistics = std::span(trial.weights).subspan(begin);
    std::vector<float> updated(statistics.size(), 7.0F);
    trial.network->update_statistics(begin, slots, 5, statistics, updated);
    CHECK(std::ranges::equal(updated, statistics));
    AlignedFloats unpadded(trial.gradient.size());
    trial.network->copy_canonical(trial.canonical(trial.gradient), unpadded);
    CHECK(unpadded == trial.gradient);
  }
}

TEST_CASE("in frozen mode bfloat16 is near f32, and its loss equals that of an evaluation") {
  for (const Case& at : batch_dependent_cases()) {
    check_mixed_precision(at, 5, /*frozen=*/true);
    const NetworkTrial trial(at, 5, Precision::bf16, /*frozen=*/true);
    CHECK(trial.loss == trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum);
  }
}

TEST_CASE("a network lists the kinds of its batch-dependent layers, except in frozen mode") {
  const std::vector<Layer> both{conv2d(5, {.kernel = 3, .padding = 1}),
                                batch_norm(),
                                dropout(),
                                batch_norm(),
                                flatten(),
                                dropout(),
                                linear(kClasses)};
  CHECK(batch_dependent(both) == "batch-norm, dropout");
  CHECK(batch_dependent(both, /*frozen=*/true).empty());
  CHECK(batch_dependent({dropout(), batch_norm(), flatten(), linear(kClasses)}) == "dropout, batch-norm");
  CHECK(batch_dependent({conv2d(5, {.kernel = 3}), relu(), flatten(), linear(kClasses)}).empty());
}

TEST_CASE("the replica context enables frozen mode") {
  for (const Layer& layer : {batch_norm(), dropout()})
    for (const bool frozen : {false, true}) {
      CAPTURE(layer->kind());
      CAPTURE(frozen);
      const auto model = started({conv2d(5, {.kernel = 3, .padding = 1}), layer, flatten(), linear(kClasses)}, frozen);
      AlignedFloats weights(model->info().size), gradient(model->info().size);
      model->initialize(weights, 1);
      const double loss = model->gradient({}, weights, gradient).loss_sum;
      const bool alike = std::abs(loss - model->evaluate({}, weights).loss_sum) < 1e-5 * loss;
      CHECK(alike == frozen);
    }
}
