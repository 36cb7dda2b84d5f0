#pragma once

#include <algorithm>
#include <vector>

namespace troupe {

/// True when the two inputs of every sum of a placed network are stored as the same: in bfloat16, images are not what
/// linear layers give.
template <class Network>
bool sums_are_alike(const Network& network) {
  return std::ranges::all_of(network.layers, [&](const auto& layer) {
    const std::vector<int>& inputs = layer.planned.inputs;
    return inputs.size() < 2 || network.layout(inputs[0]).element == network.layout(inputs[1]).element;
  });
}

}  // namespace troupe
