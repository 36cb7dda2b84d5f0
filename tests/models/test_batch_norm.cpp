#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "network_trial.hpp"
#include "reference_network.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

std::vector<Case> batch_norm_cases() {
  return {{"batch-norm of the input", {3, 7, 5}, {batch_norm(), flatten(), linear(3)}},
          {"batch-norm of 18 channels",
           {2, 9, 11},
           {conv2d(18, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), batch_norm(), relu(), flatten(),
            linear(3)}},
          {"one after another",
           {1, 9, 11},
           {conv2d(5, {.kernel = 3, .padding = 1, .bias = false}), batch_norm(), relu(),
            max_pool2d({.kernel = 3, .stride = 2, .padding = 1}),
            conv2d(33, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), batch_norm(), relu(),
            global_average_pool(), linear(3)}}};
}

/// Returns the canonical running statistics after a step: sums of the shards' gradients, divided by the samples.
std::vector<float> step(const NetworkTrial& trial, const std::vector<Batch>& shards) {
  AlignedFloats sum(trial.weights.size()), gradient(trial.weights.size());
  std::int64_t samples = 0;
  for (const Batch& shard : shards) {
    trial.network->gradient({}, shard, trial.weights, gradient);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
    samples += std::ssize(shard.labels);
  }
  for (float& value : sum) value /= static_cast<float>(samples);
  AlignedFloats updated = trial.weights;
  const std::size_t begin = trial.network->learned_size();
  trial.network->update_statistics(begin, std::span(sum).subspan(begin), samples,
                                   std::span(trial.weights).subspan(begin), std::span(updated).subspan(begin));
  return trial.canonical(updated);
}

std::vector<Batch> cut(const NetworkTrial& trial, const std::vector<std::size_t>& counts) {
  std::vector<Batch> shards;
  std::size_t first = 0;
  for (const std::size_t count : counts) {
    shards.push_back(trial.samples(first, count));
    first += count;
  }
  return shards;
}

}  // namespace

TEST_CASE("running statistics follow PyTorch's rule over the samples of all shards") {
  for (const Case& at : batch_norm_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 9);
    const ReferenceNetwork reference(at.graph, at.shape);
    for (const std::vector<std::size_t>& counts :
         std::vector<std::vector<std::size_t>>{{9}, {4, 5}, {1, 2, 6}, {3, 3, 1, 2}}) {
      CAPTURE(counts.size());
      const std::vector<Batch> shards = cut(trial, counts);
      const std::vector<float> updated = step(trial, shards);
      const std::vector<double> expected = reference.with_new_statistics(shards, trial.exact_parameters());
      for (std::size_t i = 0; i < updated.size(); ++i)
        CHECK_MESSAGE(std::abs(static_cast<double>(updated[i]) - expected[i]) <= 1e-5 * (1 + std::abs(expected[i])),
                      i << ": " << updated[i] << " should be " << expected[i]);
    }
  }
}

TEST_CASE("the variance stays exact for a mean far from zero if the running mean is near it") {
  NetworkTrial trial({"offset", {2, 5, 5}, {batch_norm(), flatten(), linear(3)}}, 4);
  for (float& value : trial.values) value = 10'000 + value;
  std::fill_n(trial.parameters.begin() + 4, 2, 10'000.0F);  // weight, bias, then the running mean
  trial.network->copy_canonical(trial.parameters, trial.weights);
  const ReferenceNetwork reference(trial.at.graph, trial.at.shape);
  const std::vector<Batch> shards = cut(trial, {1, 3});
  const std::vector<float> updated = step(trial, shards);
  const std::vector<double> expected = reference.with_new_statistics(shards, trial.exact_parameters());
  for (std::size_t i = 4; i < 8; ++i)
    CHECK_MESSAGE(std::abs(static_cast<double>(updated[i]) - expected[i]) <= 1e-4 * std::abs(expected[i]),
                  i << ": " << updated[i] << " should be " << expected[i]);
}

TEST_CASE("statistics may be updated piece by piece") {
  const NetworkTrial trial(batch_norm_cases().back(), 4);
  const std::size_t begin = trial.network->learned_size();
  REQUIRE(begin % 32 == 0);
  const std::span<const float> mean = std::span(trial.gradient).subspan(begin);
  const std::span<const float> old = std::span(trial.weights).subspan(begin);
  std::vector<float> whole(mean.size()), pieces(mean.size());
  trial.network->update_statistics(begin, mean, 4, old, whole);
  for (std::size_t at = 0; at < mean.size(); at += 32) {
    const std::size_t count = std::min<std::size_t>(32, mean.size() - at);
    trial.network->update_statistics(begin + at, mean.subspan(at, count), 4, old.subspan(at, count),
                                     std::span(pieces).subspan(at, count));
  }
  CHECK(whole == pieces);
}

TEST_CASE("an evaluation normalises with the running statistics, regardless of the batch") {
  for (const Case& at : batch_norm_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 7);
    const ReferenceNetwork reference(at.graph, at.shape);
    const std::vector<double> exact = trial.exact_parameters();
    for (const std::size_t count : {1, 7}) {
      const Batch part = trial.samples(0, count);
      CHECK(trial.network->evaluate({}, part, trial.weights).loss_sum ==
            doctest::Approx(reference.evaluation_loss(part, exact)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a gradient does not depend on the running statistics") {
  for (const Case& at : batch_norm_cases()) {
    CAPTURE(at.name);
    NetworkTrial trial(at, 4);
    const std::vector<bool> learned = trial.learned();
    for (std::size_t i = 0; i < learned.size(); ++i)
      if (!learned[i]) trial.parameters[i] += 0.25F;
    trial.network->copy_canonical(trial.parameters, trial.weights);
    AlignedFloats gradient(trial.gradient.size());
    CHECK(trial.network->gradient({}, trial.samples(), trial.weights, gradient) == trial.loss);
    CHECK(std::equal(gradient.begin(), gradient.begin() + static_cast<std::ptrdiff_t>(trial.network->learned_size()),
                     trial.gradient.begin()));
  }
}
