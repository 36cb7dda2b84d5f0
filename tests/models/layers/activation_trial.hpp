#pragma once

#include <vector>

#include "models/network_trial.hpp"
#include "models/reference_layers.hpp"

namespace troupe::test {

/// The value and the derivative of an activation at x.
struct Activation {
  double x;
  double value;
  double derivative;
};

/// Checks the plain loops against reference numbers, and networks with the layer against the plain loops: for flat
/// values and images, before and after flattening, in f32 and bfloat16.
void check_activation(const models::Layer& layer, const PlainLayer& plain, const std::vector<Activation>& numbers);

}  // namespace troupe::test
