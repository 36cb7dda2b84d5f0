#include "network_trial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reference_network.hpp"
#include "runtime/random.hpp"

namespace troupe::test {

namespace {

/// Draws a parameter near the initial value of its tensor.
float draw_parameter(const models::LayerTensor& tensor, Random& random) {
  const double at_random = 2 * static_cast<double>(random.uniform()) - 1;
  if (tensor.start == models::LayerTensor::Start::constant) return static_cast<float>(tensor.scale + 0.5 * at_random);
  return static_cast<float>(1.5 * tensor.scale * at_random);
}

}  // namespace

bool Case::has_batch_norm() const {
  return std::ranges::any_of(graph.layers(),
                             [](const models::Graph::Entry& entry) { return entry.layer->kind() == "batch-norm"; });
}

namespace {

NetworkPlan plan_of(const Case& at, const std::function<bool(const std::string&)>& keeps) {
  NetworkPlan plan = plan_network(at.graph, at.shape, kClasses);
  if (keeps) keep_tensors(plan, keeps);
  return plan;
}

}  // namespace

NetworkTrial::NetworkTrial(const Case& the_case, std::int64_t batch_size, Precision precision, bool frozen,
                           const std::function<bool(const std::string&)>& keeps)
    : at(the_case),
      batch(batch_size),
      plan(plan_of(at, keeps)),
      network(make_trial_network(plan, losses::softmax_cross_entropy(), batch, precision, frozen)) {
  draw();
  weights.resize(network->size());
  gradient.assign(network->size(), 7.0F);
  network->copy_canonical(parameters, weights);
  loss = network->gradient({}, samples(), weights, gradient);
}

Batch NetworkTrial::samples(std::size_t first, std::size_t count) const {
  const auto size = static_cast<std::size_t>(plan.input.size());
  return {static_cast<std::int64_t>(count),
          std::span(values).subspan(first * size, count * size),
          std::span(labels).subspan(first, count),
          {}};
}

std::vector<float> NetworkTrial::canonical(std::span<const float> flat) const {
  std::vector<float> result(parameters.size());
  network->to_canonical(flat, 0, result);
  return result;
}

std::vector<bool> NetworkTrial::learned() const {
  std::vector<bool> result;
  for (const models::LayerTensor& tensor : plan.tensors)
    result.insert(result.end(), tensor.info.size(), tensor.info.name.find(".running_") == std::string::npos);
  return result;
}

void NetworkTrial::draw() {
  Random random(11);
  for (const models::LayerTensor& tensor : plan.tensors)
    for (std::size_t i = tensor.info.size(); i > 0; --i) parameters.push_back(draw_parameter(tensor, random));
  for (std::int64_t i = batch * plan.input.size(); i > 0; --i) values.push_back(2 * random.uniform() - 1);
  for (std::int64_t i = 0; i < batch; ++i) labels.push_back(static_cast<std::int32_t>(random.below(kClasses)));
}

float largest(std::span<const float> values) {
  float result = 0;
  for (const float value : values) result = std::max(result, std::abs(value));
  return result;
}

namespace {

/// Returns the tolerance of each derivative, relative to the largest of its tensor. Some derivatives are zero except
/// for rounding, such as those of biases before a batch-norm.
std::vector<double> tolerances(const NetworkPlan& plan, std::span<const double> expected) {
  std::vector<double> result;
  for (const models::LayerTensor& tensor : plan.tensors) {
    double tolerance = 1e-6;
    for (const double value : expected.subspan(result.size(), tensor.info.size()))
      tolerance = std::max(tolerance, 1e-4 * std::abs(value));
    result.insert(result.end(), tensor.info.size(), tolerance);
  }
  return result;
}

}  // namespace

void check_against_reference(const NetworkTrial& trial, std::size_t differences) {
  CAPTURE(trial.at.name);
  CAPTURE(trial.batch);
  const ReferenceNetwork reference(trial.at.graph, trial.at.shape);
  const std::vector<double> exact = trial.exact_parameters();
  const std::vector<float> gradient = trial.canonical(trial.gradient);
  const std::vector<double> expected = reference.gradient(trial.samples(), exact);
  const std::vector<bool> learned = trial.learned();
  const std::vector<double> tolerance = tolerances(trial.plan, expected);

  CHECK(trial.loss == doctest::Approx(reference.loss(trial.samples(), exact)).epsilon(1e-5));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (!learned[i]) continue;
    const double found = gradient[i];
    CHECK_MESSAGE(std::abs(found - expected[i]) <= tolerance[i], i << ": " << found << " should be " << expected[i]);
  }
  for (std::size_t i = 0; i < gradient.size(); i += gradient.size() / differences + 1) {
    if (!learned[i]) continue;
    const double difference = reference.derivative(trial.samples(), exact, i);
    CHECK_MESSAGE(std::abs(expected[i] - difference) <= tolerance[i], i << ": " << expected[i] << " is " << difference);
  }
}

void check_mixed_precision(const Case& at, std::int64_t batch, bool frozen) {
  CAPTURE(at.name);
  const NetworkTrial exact(at, batch, Precision::f32, frozen);
  const NetworkTrial mixed(at, batch, Precision::bf16, frozen);
  if (mixed.network->precision() == Precision::f32) {
    MESSAGE("skipped: computed in floats here");
    return;
  }
  const std::vector<float> expected = exact.canonical(exact.gradient);
  const std::vector<float> found = mixed.canonical(mixed.gradient);
  double norm = 0;
  double error = 0;
  const std::vector<bool> learned = exact.learned();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!learned[i]) continue;
    norm += std::pow(expected[i], 2);
    error += std::pow(found[i] - expected[i], 2);
  }
  CHECK(mixed.loss == doctest::Approx(exact.loss).epsilon(0.01));
  CHECK(std::sqrt(error / norm) < 0.1);
}

}  // namespace troupe::test
