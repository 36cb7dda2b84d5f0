#pragma once

#include <algorithm>
#include <vector>

namespace troupe {

/// Returns true if, for every sum of a placed network, both inputs have the same element type. The types may differ in
/// a network that computes in bfloat16: images are bfloat16, but the outputs of linear layers are floats.
template <class Network>
bool sums_are_alike(const Network& network) {
  return std::ranges::all_of(network.layers, [&](const auto& layer) {
    const std::vector<int>& inputs = layer.planned.inputs;
    return inputs.size() < 2 || network.layout(inputs[0]).element == network.layout(inputs[1]).element;
  });
}

}  // namespace troupe
