#pragma once

#include <vector>

#include "models/network_trial.hpp"
#include "models/reference_layers.hpp"

namespace troupe::test {

/// What an activation makes of x.
struct Activation {
  double x;
  double value;
  double derivative;
};

/// Checks the plain loops against another's numbers, and networks with the layer against the plain loops: among flat
/// values and images, before and behind flattening, in f32 and bfloat16.
void check_activation(const models::Layer& layer, const PlainLayer& plain, const std::vector<Activation>& numbers);

}  // namespace troupe::test
