#pragma once

#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cpu {

/// A planned network with the memory layouts of its values and tensors, which are the same for all batch sizes.
struct PlacedNetwork {
  SampleShape input_shape;
  std::int64_t num_outputs = 0;
  Layout input;
  std::vector<PlacedLayer> layers;
  ParameterLayout parameters;

  /// Returns the layout of value `value`: 0 is the network's input, i + 1 the output of layer i.
  const Layout& layout(int value) const {
    return value == 0 ? input : layers[static_cast<std::size_t>(value - 1)].output;
  }
};

/// Chooses the layouts of all layers, from first to last, for batches of about this size.
PlacedNetwork place_network(Context& context, const NetworkPlan& plan, std::int64_t batch, Element element);

/// Returns true if layer `layer` runs as one operation with the next layer.
bool is_joined(const PlacedNetwork& network, std::size_t layer);

/// Returns the entries of all layers for a Profile. Two joined layers have one entry with a kind of its own.
std::vector<ProfiledLayer> profiled_layers(const PlacedNetwork& network);

}  // namespace troupe::cpu
