#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <thread>

#include "network_trial.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

std::vector<Case> plain_cases() {
  return {
      {"one linear layer", {5}, {linear(3)}},
      {"linear layers and ReLU", {17}, {linear(5), relu(), linear(3)}},
      {"linear layer of 33 outputs", {16}, {linear(33), relu(), linear(3)}},
      {"linear layer of 80 outputs", {48}, {linear(80), linear(3)}},
      {"flattened image", {3, 5, 2}, {flatten(), linear(3)}},
      {"one convolution", {1, 5, 7}, {conv2d(3, {.kernel = 3}), flatten(), linear(3)}},
      {"convolution to the scores", {2, 3, 3}, {conv2d(3, {.kernel = 3}), flatten()}},
      {"pooling to the scores", {2, 6, 6}, {conv2d(3, {.kernel = 3}), relu(), max_pool2d({.kernel = 4}), flatten()}},
      {"batch-norm to the scores", {2, 3, 3}, {conv2d(3, {.kernel = 3}), batch_norm(), flatten()}},
      {"ReLU to the scores",
       {2, 5, 5},
       {conv2d(3, {.kernel = 3}), max_pool2d({.kernel = 3, .stride = 1}), relu(), flatten()}},
      {"padding", {3, 6, 5}, {conv2d(5, {.kernel = 3, .padding = 1}), relu(), flatten(), linear(3)}},
      {"images smaller than the kernel",
       {17, 2, 1},
       {conv2d(9, {.kernel = 3, .padding = 1}), relu(), conv2d(17, {.kernel = 3, .stride = 2, .padding = 1}), flatten(),
        linear(3)}},
      {"two channels", {2, 7, 9}, {conv2d(10, {.kernel = 5, .stride = 2, .padding = 2}), relu(), flatten(), linear(3)}},
      {"stride", {1, 9, 8}, {conv2d(17, {.kernel = 3, .stride = 2, .padding = 1}), flatten(), linear(3)}},
      {"stride with a remainder", {3, 8, 8}, {conv2d(5, {.kernel = 3, .stride = 2}), relu(), flatten(), linear(3)}},
      {"kernel 5, padding 2", {5, 7, 6}, {conv2d(3, {.kernel = 5, .padding = 2}), flatten(), linear(3)}},
      {"kernel 1", {17, 4, 4}, {conv2d(5, {.kernel = 1}), relu(), flatten(), linear(3)}},
      {"17 channels",
       {17, 5, 5},
       {conv2d(17, {.kernel = 3, .padding = 1}), relu(), conv2d(5, {.kernel = 3}), flatten(), linear(3)}},
      {"two convolutions",
       {1, 7, 7},
       {conv2d(5, {.kernel = 3, .padding = 1}), conv2d(17, {.kernel = 3, .stride = 2, .padding = 1}), flatten(),
        linear(3)}},
      {"pooling after ReLU",
       {1, 8, 8},
       {conv2d(3, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}), flatten(), linear(3)}},
      {"ReLU after pooling",
       {1, 8, 8},
       {conv2d(3, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2}), relu(), flatten(), linear(3)}},
      {"pooling without ReLU",
       {3, 7, 5},
       {conv2d(5, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2}), flatten(), linear(3)}},
      {"pooling by 3 with a remainder",
       {1, 8, 7},
       {conv2d(17, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 3}), flatten(), linear(3)}},
      {"pooling first",
       {5, 6, 6},
       {max_pool2d({.kernel = 2}), conv2d(3, {.kernel = 3, .padding = 1}), flatten(), linear(3)}},
      {"ReLU first", {5, 4, 4}, {relu(), conv2d(3, {.kernel = 3, .padding = 1}), flatten(), linear(3)}},
      {"ReLU last", {9}, {linear(7), relu(), linear(3), relu()}},
      {"height and width alone", {6, 5}, {conv2d(3, {.kernel = 3}), relu(), flatten(), linear(3)}},
      {"no bias", {3, 6, 5}, {conv2d(5, {.kernel = 3, .padding = 1, .bias = false}), relu(), flatten(), linear(3)}},
      {"stride 3",
       {5, 9, 11},
       {conv2d(17, {.kernel = 3, .stride = 3, .padding = 1, .bias = false}), flatten(), linear(3)}},
      {"strided 1x1", {17, 7, 5}, {conv2d(19, {.kernel = 1, .stride = 2, .bias = false}), flatten(), linear(3)}},
      {"kernel 7, stride 2",
       {3, 9, 11},
       {conv2d(9, {.kernel = 7, .stride = 2, .padding = 3, .bias = false}), flatten(), linear(3)}},
      {"pooling across the border",
       {3, 9, 11},
       {conv2d(5, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), flatten(),
        linear(3)}},
      {"overlapping pooling",
       {1, 7, 5},
       {conv2d(17, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 3, .stride = 1}), relu(), flatten(), linear(3)}},
      {"pooling with gaps",
       {2, 9, 11},
       {conv2d(18, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2, .stride = 3}), flatten(), linear(3)}},
      {"pooling across the border first",
       {5, 7, 5},
       {max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), conv2d(3, {.kernel = 3}), flatten(), linear(3)}},
      {"pooling twice",
       {1, 9, 11},
       {conv2d(4, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 3, .stride = 2, .padding = 1}),
        max_pool2d({.kernel = 2}), flatten(), linear(3)}},
      {"global average", {3, 7, 5}, {conv2d(17, {.kernel = 3}), global_average_pool(), linear(3)}},
      {"global average first", {17, 7, 5}, {global_average_pool(), linear(5), relu(), linear(3)}},
      {"global average of a grey image", {7, 5}, {global_average_pool(), linear(3)}},
      {"global average to the scores", {1, 7, 5}, {conv2d(3, {.kernel = 3}), relu(), global_average_pool()}},
      {"batch-norm first", {3, 7, 5}, {batch_norm(), flatten(), linear(3)}},
      {"batch-norm first, many channels",
       {17, 7, 5},
       {batch_norm(), relu(), conv2d(3, {.kernel = 3}), flatten(), linear(3)}},
      {"batch-norm",
       {2, 9, 11},
       {conv2d(18, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), batch_norm(), flatten(), linear(3)}},
      {"batch-norm and ReLU", {5, 7, 5}, {conv2d(17, {.kernel = 3}), batch_norm(), relu(), flatten(), linear(3)}},
      {"batch-norm after ReLU", {3, 7, 5}, {conv2d(5, {.kernel = 3}), relu(), batch_norm(), flatten(), linear(3)}},
      {"batch-norm, pooling",
       {1, 9, 11},
       {conv2d(5, {.kernel = 3, .padding = 1}), batch_norm(), relu(), max_pool2d({.kernel = 2}), flatten(), linear(3)}},
      {"batch-norm of larger images",
       {1, 37, 41},
       {conv2d(5, {.kernel = 1, .bias = false}), batch_norm(), relu(),
        max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), global_average_pool(), linear(3)}},
      {"batch-norm after pooling",
       {1, 9, 8},
       {conv2d(5, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2}), batch_norm(), flatten(), linear(3)}},
      {"first layers of a ResNet",
       {3, 17, 19},
       {conv2d(20, {.kernel = 7, .stride = 2, .padding = 3, .bias = false}), batch_norm(), relu(),
        max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), global_average_pool(), linear(3)}},
      {"a small CNN",
       {1, 12, 12},
       {conv2d(5, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}),
        conv2d(17, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}), flatten(), linear(9), relu(),
        linear(3)}},
  };
}

}  // namespace

TEST_CASE("gradients and losses equal those of plain loops in double") {
  for (const Case& at : plain_cases())
    for (const std::int64_t batch : {1, 2, 5}) {
      check_against_reference(NetworkTrial(at, batch));
    }
}

TEST_CASE("batches large enough for Winograd and for slices have the same gradients") {
  const Case at{"wide",
                {3, 8, 8},
                {conv2d(32, {.kernel = 3, .padding = 1}), relu(), conv2d(64, {.kernel = 3, .padding = 1}),
                 max_pool2d({.kernel = 2}), relu(), flatten(), linear(kClasses)}};
  for (const std::int64_t batch : {32, 35}) check_against_reference(NetworkTrial(at, batch), 2);
}

TEST_CASE("the gradient of a batch is the sum of the gradients of its parts, for any earlier batch sizes") {
  for (const Case& at : plain_cases()) {
    if (at.has_batch_norm()) continue;
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5);
    AlignedFloats first(trial.gradient.size()), second(trial.gradient.size());
    double loss = trial.network->gradient({}, trial.samples(0, 2), trial.weights, first);
    loss += trial.network->gradient({}, trial.samples(2, 3), trial.weights, second);
    CHECK(loss == doctest::Approx(trial.loss).epsilon(1e-6));
    const float tolerance = 1e-5F * std::max(largest(trial.gradient), 0.01F);
    bool close = true;
    for (std::size_t i = 0; i < first.size(); ++i)
      close = close && std::abs(first[i] + second[i] - trial.gradient[i]) <= tolerance;
    CHECK(close);
  }
}

TEST_CASE("the gradients of micro-batches are added, and the sums of batch-norm with them") {
  for (const Case& at : plain_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5);
    trial.network->prepare_training(/*memory=*/true, /*slices=*/true);
    AlignedFloats part(trial.gradient.size()), sum(trial.gradient.size()), added(trial.gradient.size(), 7.0F);
    int number = 0;
    for (const std::size_t first : {0, 2, 4}) {
      const Batch samples = trial.samples(first, first == 4 ? 1 : 2);
      const double loss = trial.network->gradient({}, samples, trial.weights, part);
      std::ranges::transform(sum, part, sum.begin(), std::plus());
      CHECK(trial.network->gradient({}, samples, trial.weights, added, nullptr,
                                    {.number = number++, .last = first == 4}) == loss);
    }
    const float tolerance = 1e-5F * std::max(largest(sum), 0.01F);
    bool close = true;
    for (std::size_t i = 0; i < sum.size(); ++i) close = close && std::abs(sum[i] - added[i]) <= tolerance;
    CHECK(close);
  }
}

TEST_CASE("the same weights and batch give bitwise identical results at any address") {
  for (const Case& at : plain_cases()) {
    CAPTURE(at.name);
    const NetworkTrial first(at, 5);
    NetworkTrial second(at, 5);
    AlignedFloats shifted(second.weights.size() + 3), target(second.weights.size() + 5);
    std::copy(second.weights.begin(), second.weights.end(), shifted.begin() + 3);
    const double loss =
        second.network->gradient({}, second.samples(), std::span(shifted).subspan(3), std::span(target).subspan(5));
    CHECK(loss == first.loss);
    CHECK(second.gradient == first.gradient);
    CHECK(std::equal(first.gradient.begin(), first.gradient.end(), target.begin() + 5));
  }
}

TEST_CASE("another thread computes bitwise identical results") {
  const Case at = plain_cases().back();
  const NetworkTrial here(at, 35);
  AlignedFloats there;
  std::thread([&] { there = NetworkTrial(at, 35).gradient; }).join();
  CHECK(there == here.gradient);
}

TEST_CASE("canonical weights survive the conversion to the flat layout and back, and padding stays zero") {
  for (const Case& at : plain_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5);
    CHECK(trial.canonical(trial.weights) == trial.parameters);
    AlignedFloats unpadded(trial.gradient.size());
    trial.network->copy_canonical(trial.canonical(trial.gradient), unpadded);
    CHECK(unpadded == trial.gradient);
  }
}

TEST_CASE("a batch without samples has no loss and no gradient") {
  NetworkTrial trial(plain_cases().front(), 2);
  CHECK(trial.network->gradient({}, {}, trial.weights, trial.gradient) == 0);
  CHECK(largest(trial.gradient) == 0);
}

TEST_CASE("a NaN at any position of a pooling window reaches the loss") {
  for (const auto& [place, kernel] : {std::pair{0U, 2}, {1U, 2}, {8U, 2}, {9U, 2}, {0U, 3}, {10U, 3}, {18U, 3}}) {
    NetworkTrial trial(
        {"pooled", {1, 8, 8}, {conv2d(3, {.kernel = 1}), max_pool2d({.kernel = kernel}), flatten(), linear(3)}}, 2);
    trial.values[place] = std::nanf("");
    CHECK(std::isnan(trial.network->gradient({}, trial.samples(), trial.weights, trial.gradient)));
  }
}

TEST_CASE("an evaluation counts hits and losses") {
  NetworkTrial trial(plain_cases().back(), 5);
  const EvaluationResult result = trial.network->evaluate({}, trial.samples(), trial.weights);
  CHECK(result.samples == 5);
  CHECK(result.loss_sum == trial.loss);
  std::int64_t correct = 0;
  for (std::size_t i = 0; i < 5; ++i) {  // the predicted class has the smallest loss
    std::vector<double> losses;
    for (std::int32_t label = 0; label < kClasses; ++label)
      losses.push_back(
          trial.network
              ->evaluate({}, {1, std::span<const float>(trial.values).subspan(i * 144, 144), std::span(&label, 1), {}},
                         trial.weights)
              .loss_sum);
    if (std::min_element(losses.begin(), losses.end()) - losses.begin() == trial.labels[i]) ++correct;
  }
  CHECK(result.correct == correct);
}

TEST_CASE("bfloat16 results are near those in f32") {
  for (const Case& at : plain_cases()) check_mixed_precision(at, 5);
}
