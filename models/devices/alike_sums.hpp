#pragma once

#include <algorithm>
#include <vector>

namespace troupe {

/// Returns true if both inputs of every sum of a placed network have the same element type. With bfloat16, images and
/// the outputs of linear layers differ.
template <class Network>
bool sums_are_alike(const Network& network) {
  return std::ranges::all_of(network.layers, [&](const auto& layer) {
    const std::vector<int>& inputs = layer.planned.inputs;
    return inputs.size() < 2 || network.layout(inputs[0]).element == network.layout(inputs[1]).element;
  });
}

}  // namespace troupe
