#include "models/layers/activation_trial.hpp"

#include <doctest/doctest.h>

namespace troupe::test {

using namespace models;

namespace {

std::vector<Case> cases_with(const Layer& layer) {
  return {{"flat", {5}, {linear(7), layer, linear(3)}},
          {"many flat values", {17}, {linear(33), layer, linear(3)}},
          {"first", {3, 6, 5}, {layer, conv2d(5, {.kernel = 3, .padding = 1}), flatten(), linear(3)}},
          {"after a convolution",
           {3, 6, 5},
           {conv2d(5, {.kernel = 3, .padding = 1}), layer, conv2d(3, {.kernel = 3}), flatten(), linear(3)}},
          {"behind flattening", {3, 6, 5}, {conv2d(17, {.kernel = 3, .padding = 1}), flatten(), layer, linear(3)}},
          {"behind batch-norm", {1, 7, 5}, {conv2d(5, {.kernel = 3}), batch_norm(), layer, flatten(), linear(3)}},
          {"before pooling",
           {1, 8, 8},
           {conv2d(3, {.kernel = 3, .padding = 1}), layer, max_pool2d({.kernel = 2}), flatten(), linear(3)}},
          {"last", {9}, {linear(3), layer}}};
}

void check_numbers(const LayerSpec& layer, const PlainLayer& plain, const Activation& at) {
  CAPTURE(at.x);
  Tensor in(1, 1, 1, 1);
  in.values[0] = at.x;
  Tensor slope(1, 1, 1, 1);
  slope.values[0] = 1;
  Tensor in_gradient(1, 1, 1, 1);
  plain.backward(layer, in, slope, in_gradient);
  CHECK(plain.forward(layer, in).values[0] == doctest::Approx(at.value).epsilon(1e-6));
  CHECK(in_gradient.values[0] == doctest::Approx(at.derivative).epsilon(1e-6));
}

}  // namespace

void check_activation(const Layer& layer, const PlainLayer& plain, const std::vector<Activation>& numbers) {
  add_plain_layer(layer->kind(), plain);
  for (const Activation& each : numbers) check_numbers(*layer, plain, each);
  for (const Case& at : cases_with(layer)) {
    for (const std::int64_t batch : {1, 2, 5}) {
      const NetworkTrial trial(at, batch);
      if (batch > 1 || !at.has_batch_norm()) check_against_reference(trial);
      AlignedFloats again(trial.gradient.size());
      trial.network->copy_canonical(trial.canonical(trial.gradient), again);
      CHECK(again == trial.gradient);  // padding is zero
    }
    check_mixed_precision(at, 5);
  }
}

}  // namespace troupe::test
