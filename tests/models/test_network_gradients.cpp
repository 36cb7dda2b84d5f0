#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "models/aligned.hpp"
#include "models/device_network.hpp"
#include "reference_network.hpp"
#include "runtime/random.hpp"

using namespace troupe;
using namespace troupe::models;

namespace {

struct Case {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<Layer> layers;
};

std::vector<Case> cases() {
  return {
      {"one linear layer", {5}, {linear(3)}},
      {"linear layers and ReLU", {17}, {linear(5), relu(), linear(3)}},
      {"linear layer of 33 outputs", {16}, {linear(33), relu(), linear(3)}},
      {"linear layer of 80 outputs", {48}, {linear(80), linear(3)}},
      {"flattened image", {3, 5, 2}, {flatten(), linear(3)}},
      {"one convolution", {1, 5, 7}, {convolution(3, 3), flatten(), linear(3)}},
      {"convolution to the scores", {2, 3, 3}, {convolution(3, 3), flatten()}},
      {"padding", {3, 6, 5}, {convolution(5, 3, 1), relu(), flatten(), linear(3)}},
      {"stride", {1, 9, 8}, {convolution(17, 3, 1, 2), flatten(), linear(3)}},
      {"stride that leaves a rest", {3, 8, 8}, {convolution(5, 3, 0, 2), relu(), flatten(), linear(3)}},
      {"kernel 5, padding 2", {5, 7, 6}, {convolution(3, 5, 2), flatten(), linear(3)}},
      {"kernel 1", {17, 4, 4}, {convolution(5, 1), relu(), flatten(), linear(3)}},
      {"17 channels", {17, 5, 5}, {convolution(17, 3, 1), relu(), convolution(5, 3), flatten(), linear(3)}},
      {"two convolutions", {1, 7, 7}, {convolution(5, 3, 1), convolution(17, 3, 1, 2), flatten(), linear(3)}},
      {"pooling after ReLU", {1, 8, 8}, {convolution(3, 3, 1), relu(), max_pool(2), flatten(), linear(3)}},
      {"ReLU after pooling", {1, 8, 8}, {convolution(3, 3, 1), max_pool(2), relu(), flatten(), linear(3)}},
      {"pooling without ReLU", {3, 7, 5}, {convolution(5, 3, 1), max_pool(2), flatten(), linear(3)}},
      {"pooling by 3 leaves a rest", {1, 8, 7}, {convolution(17, 3, 1), relu(), max_pool(3), flatten(), linear(3)}},
      {"pooling first", {5, 6, 6}, {max_pool(2), convolution(3, 3, 1), flatten(), linear(3)}},
      {"ReLU first", {5, 4, 4}, {relu(), convolution(3, 3, 1), flatten(), linear(3)}},
      {"ReLU last", {9}, {linear(7), relu(), linear(3), relu()}},
      {"height and width alone", {6, 5}, {convolution(3, 3), relu(), flatten(), linear(3)}},
      {"a small CNN",
       {1, 12, 12},
       {convolution(5, 3, 1), relu(), max_pool(2), convolution(17, 3, 1), relu(), max_pool(2), flatten(), linear(9),
        relu(), linear(3)}},
  };
}

constexpr int kClasses = 3;

/// A network with weights and samples drawn from its shape, and what it says of them.
struct Trial {
  Case at;
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  std::vector<float> parameters;
  AlignedFloats values, weights, gradient;
  std::vector<std::int32_t> labels;
  double loss = 0;

  Trial(const Case& the_case, std::int64_t batch_size) : at(the_case), batch(batch_size) {
    std::vector<std::int64_t> shape = at.shape;
    if (shape.size() == 2) at.shape = {1, shape[0], shape[1]};
    plan = plan_network(at.layers, shape, kClasses);
    network = make_cpu_network(plan, batch);
    draw();
    weights.resize(network->size());
    gradient.assign(network->size(), 7.0F);
    network->from_canonical(parameters, weights);
    loss = network->gradient({values, labels}, weights, gradient);
  }

  std::size_t sample_size() const { return static_cast<std::size_t>(plan.input.size()); }
  std::vector<float> canonical_gradient() const {
    std::vector<float> canonical(parameters.size());
    network->to_canonical(gradient, canonical);
    return canonical;
  }

 private:
  void draw() {
    Random random(11);
    for (const PlannedTensor& tensor : plan.tensors) {
      std::int64_t count = 1;
      for (const std::int64_t extent : tensor.info.shape) count *= extent;
      const double bound = 1.5 / std::sqrt(static_cast<double>(tensor.fan_in));
      for (; count > 0; --count) parameters.push_back(static_cast<float>((2 * random.uniform() - 1) * bound));
    }
    for (std::size_t i = static_cast<std::size_t>(batch) * sample_size(); i > 0; --i)
      values.push_back(2 * random.uniform() - 1);
    for (std::int64_t i = 0; i < batch; ++i) labels.push_back(static_cast<std::int32_t>(random.below(kClasses)));
  }
};

float largest(std::span<const float> values) {
  float result = 0;
  for (const float value : values) result = std::max(result, std::abs(value));
  return result;
}

/// Compares every `every`-th derivative, relative to the largest.
void check_against_reference(const Trial& trial, std::size_t every) {
  const test::ReferenceNetwork reference(trial.at.layers, trial.at.shape);
  const std::vector<double> exact(trial.parameters.begin(), trial.parameters.end());
  CHECK(trial.loss == doctest::Approx(reference.loss(trial.values, trial.labels, exact)).epsilon(1e-5));
  const std::vector<float> gradient = trial.canonical_gradient();
  const double tolerance = 1e-4 * std::max(largest(gradient), 0.01F);
  for (std::size_t i = 0; i < gradient.size(); i += every) {
    const double expected = reference.derivative(trial.values, trial.labels, trial.parameters, i);
    const bool close = std::abs(static_cast<double>(gradient[i]) - expected) <= tolerance;
    CHECK_MESSAGE(close, "parameter " << i << ": " << gradient[i] << " should be " << expected);
  }
}

}  // namespace

TEST_CASE("gradients and losses are those of plain loops in double") {
  for (const Case& at : cases())
    for (const std::int64_t batch : {1, 2, 5}) {
      CAPTURE(at.name);
      CAPTURE(batch);
      const Trial trial(at, batch);
      check_against_reference(trial, trial.parameters.size() / 150 + 1);
    }
}

TEST_CASE("batches large enough for Winograd and for slices give the same gradients") {
  const Case at{
      "wide",
      {3, 8, 8},
      {convolution(32, 3, 1), relu(), convolution(64, 3, 1), max_pool(2), relu(), flatten(), linear(kClasses)}};
  for (const std::int64_t batch : {32, 35}) check_against_reference(Trial(at, batch), 1499);
}

TEST_CASE("the gradient of a batch is the sum of those of its parts, whatever sizes came before") {
  for (const Case& at : cases()) {
    CAPTURE(at.name);
    Trial trial(at, 5);
    const std::size_t cut = 2 * trial.sample_size();
    const std::span<const float> values(trial.values);
    const std::span<const std::int32_t> labels(trial.labels);
    AlignedFloats first(trial.gradient.size()), second(trial.gradient.size());
    double loss = trial.network->gradient({values.first(cut), labels.first(2)}, trial.weights, first);
    loss += trial.network->gradient({values.subspan(cut), labels.subspan(2)}, trial.weights, second);
    CHECK(loss == doctest::Approx(trial.loss).epsilon(1e-6));
    const float tolerance = 1e-5F * std::max(largest(trial.gradient), 0.01F);
    bool close = true;
    for (std::size_t i = 0; i < first.size(); ++i)
      close = close && std::abs(first[i] + second[i] - trial.gradient[i]) <= tolerance;
    CHECK(close);
  }
}

TEST_CASE("the same weights and batch give the same bits, wherever they lie") {
  for (const Case& at : cases()) {
    CAPTURE(at.name);
    const Trial first(at, 5);
    Trial second(at, 5);
    AlignedFloats shifted(second.weights.size() + 3), target(second.weights.size() + 5);
    std::copy(second.weights.begin(), second.weights.end(), shifted.begin() + 3);
    const double loss = second.network->gradient({second.values, second.labels}, std::span(shifted).subspan(3),
                                                 std::span(target).subspan(5));
    CHECK(loss == first.loss);
    CHECK(second.gradient == first.gradient);
    CHECK(std::equal(first.gradient.begin(), first.gradient.end(), target.begin() + 5));
  }
}

TEST_CASE("another thread computes the same bits") {
  const Case at = cases().back();
  const Trial here(at, 35);
  AlignedFloats there;
  std::thread([&] { there = Trial(at, 35).gradient; }).join();
  CHECK(there == here.gradient);
}

TEST_CASE("canonical weights survive the way through the flat layout, and padding stays zero") {
  for (const Case& at : cases()) {
    CAPTURE(at.name);
    const Trial trial(at, 5);
    std::vector<float> canonical(trial.parameters.size());
    trial.network->to_canonical(trial.weights, canonical);
    CHECK(canonical == trial.parameters);

    const std::vector<float> gradient = trial.canonical_gradient();
    AlignedFloats unpadded(trial.gradient.size());
    trial.network->from_canonical(gradient, unpadded);
    CHECK(unpadded == trial.gradient);
  }
}

TEST_CASE("no samples give no loss and no gradient") {
  Trial trial(cases().front(), 2);
  CHECK(trial.network->gradient({{}, {}}, trial.weights, trial.gradient) == 0);
  CHECK(largest(trial.gradient) == 0);
}

TEST_CASE("a NaN at any place of a pooling window reaches the loss") {
  for (const std::size_t place : {0, 1, 8, 9}) {
    Trial trial({"pooled", {1, 8, 8}, {convolution(3, 1), max_pool(2), flatten(), linear(3)}}, 2);
    trial.values[place] = std::nanf("");
    CHECK(std::isnan(trial.network->gradient({trial.values, trial.labels}, trial.weights, trial.gradient)));
  }
}

TEST_CASE("an evaluation counts hits and losses") {
  Trial trial(cases().back(), 5);
  const EvaluationResult result = trial.network->evaluate({trial.values, trial.labels}, trial.weights);
  CHECK(result.samples == 5);
  CHECK(result.loss_sum == trial.loss);
  std::int64_t correct = 0;
  for (std::size_t i = 0; i < 5; ++i) {  // the class of the smallest loss is the one that is found
    std::vector<double> losses;
    for (std::int32_t label = 0; label < kClasses; ++label)
      losses.push_back(
          trial.network
              ->evaluate({std::span<const float>(trial.values).subspan(i * 144, 144), std::span(&label, 1)},
                         trial.weights)
              .loss_sum);
    if (std::min_element(losses.begin(), losses.end()) - losses.begin() == trial.labels[i]) ++correct;
  }
  CHECK(result.correct == correct);
}
