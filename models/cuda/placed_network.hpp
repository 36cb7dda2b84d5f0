#pragma once

#include <memory>
#include <vector>

#include "models/cuda/operation.hpp"

namespace troupe::cuda {

/// A planned network with the memory layouts of its values and tensors, which are the same for all batch sizes.
struct PlacedNetwork {
  SampleShape input_shape;
  std::int64_t num_outputs = 0;  ///< as NetworkPlan::num_outputs
  std::int64_t positions = 1;    ///< as NetworkPlan::positions
  Layout input;
  std::vector<PlacedLayer> layers;
  Element element = Element::f32;                      ///< type of images and products
  std::vector<std::unique_ptr<LayerKernels>> kernels;  ///< by layer
  ParameterLayout parameters;

  std::int64_t outputs_of_sample() const { return num_outputs * positions; }
  /// Returns the parameters of a layer or, if it shares those of another layer, of that layer.
  const LayerParameters& parameters_of(const PlacedLayer& layer) const {
    const int shares = layer.planned.shares;
    return shares < 0 ? layer.parameters : layers[static_cast<std::size_t>(shares)].parameters;
  }
  /// Returns the layout of the value with number `value`. Value 0 is the network's input, and value i + 1 is the output
  /// of layer i.
  const Layout& layout(int value) const {
    return value == 0 ? input : layers[static_cast<std::size_t>(value - 1)].output;
  }
};

/// Chooses the layouts of all layers. Images have the type `element`, and flat features are floats. If the two inputs
/// of a sum would have different types by this rule, all values of the network are floats instead.
PlacedNetwork place_network(const NetworkPlan& plan, Element element);

}  // namespace troupe::cuda
