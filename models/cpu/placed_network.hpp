#pragma once

#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cpu {

/// A planned network with the memory layouts of its values and tensors, which are the same for all batch sizes.
struct PlacedNetwork {
  SampleShape input_shape;
  std::int64_t num_outputs = 0;  ///< as NetworkPlan::num_outputs
  std::int64_t positions = 1;    ///< as NetworkPlan::positions
  Layout input;
  std::vector<PlacedLayer> layers;
  ParameterLayout parameters;

  std::int64_t outputs_of_sample() const { return num_outputs * positions; }
  /// Returns the layout of the value with number `value`. Value 0 is the network's input, and value i + 1 is the output
  /// of layer i.
  const Layout& layout(int value) const {
    return value == 0 ? input : layers[static_cast<std::size_t>(value - 1)].output;
  }
};

/// Chooses the layouts of all layers, from the first layer to the last, for batches of about `batch` samples.
PlacedNetwork place_network(Context& context, const NetworkPlan& plan, std::int64_t batch, Element element);

/// Returns true if the layer with number `layer` runs as one operation with the next layer.
bool is_joined(const PlacedNetwork& network, std::size_t layer);

/// Returns the description of each layer for a Profile. Two layers that run as one operation have one description,
/// whose kind stands for both layers.
std::vector<ProfiledLayer> profiled_layers(const PlacedNetwork& network);

}  // namespace troupe::cpu
