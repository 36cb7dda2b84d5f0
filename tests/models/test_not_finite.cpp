#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "models/network_trial.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

std::vector<Case> cases() {
  const std::vector<std::int64_t> image{4, 8, 8};
  Graph sum;
  const auto stem = sum.append("stem", conv2d(4, {.kernel = 3, .padding = 1}), {Graph::input()});
  const auto relued = sum.append("", relu(), {sum.append("", add(), {stem, Graph::input()})});
  sum.append("fc", linear(kClasses), {sum.append("", flatten(), {relued})});
  Graph normalised;
  const auto before = normalised.append("stem", conv2d(4, {.kernel = 3, .padding = 1}), {Graph::input()});
  const auto norm = normalised.append("norm", batch_norm(), {before});
  const auto added = normalised.append("", relu(), {normalised.append("", add(), {norm, Graph::input()})});
  normalised.append("fc", linear(kClasses), {normalised.append("", global_average_pool(), {added})});
  const auto row = [&](const char* name, std::vector<Layer> layers) {
    layers.push_back(flatten());
    layers.push_back(linear(kClasses));
    return Case(name, image, layers);
  };
  return {{"linear", {12}, {linear(kClasses)}},
          {"linear, ReLU", {12}, {linear(8), relu(), linear(kClasses)}},
          row("convolution", {conv2d(16, {.kernel = 3, .padding = 1})}),
          row("convolution, ReLU", {conv2d(16, {.kernel = 3, .padding = 1}), relu()}),
          row("strided convolution, ReLU", {conv2d(16, {.kernel = 3, .stride = 2, .padding = 1}), relu()}),
          row("1x1 convolution, ReLU", {conv2d(16, {.kernel = 1}), relu()}),
          row("convolution, batch-norm, ReLU", {conv2d(16, {.kernel = 3, .padding = 1}), batch_norm(), relu()}),
          row("convolution, max-pooling", {conv2d(16, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2})}),
          row("convolution, ReLU, max-pooling",
              {conv2d(16, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2})}),
          row("max-pooling of 3x3", {max_pool2d({.kernel = 3, .stride = 2})}),
          row("max-pooling of 3x3, ReLU",
              {conv2d(16, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), relu()}),
          row("average pooling", {avg_pool2d({.kernel = 2})}),
          row("global average pooling", {global_average_pool()}),
          row("ReLU", {relu()}),
          row("GELU", {gelu()}),
          row("sigmoid", {models::sigmoid()}),
          row("tanh", {models::tanh()}),
          row("dropout", {dropout(0.5)}),
          {"residual sum, ReLU", image, sum},
          {"batch-norm, residual sum, ReLU", image, normalised}};
}

}  // namespace

TEST_CASE("a NaN in a sample reaches only the outputs of that sample, through every layer and fusion") {
  for (const Precision precision : {Precision::f32, Precision::bf16})
    for (const Case& at : cases()) {
      NetworkTrial trial(at, 3, precision);
      if (!trial.network) continue;  // no bfloat16 on this machine
      CAPTURE(at.name);
      CAPTURE(static_cast<int>(precision));
      std::vector<float> outputs(3 * kClasses);
      const std::size_t size = trial.values.size() / 3;
      trial.values[size + size / 2] = std::numeric_limits<float>::quiet_NaN();
      trial.network->outputs(trial.values, trial.weights, {}, outputs);
      for (std::size_t i = 0; i < outputs.size(); ++i) CHECK(std::isnan(outputs[i]) == (i / kClasses == 1));
    }
}
