#include "models/cuda/placed_network.hpp"

#include "models/devices/alike_sums.hpp"

namespace troupe::cuda {

namespace {

Layout layout_of(const SampleShape& shape, Element element) {
  return {shape, shape.flat || shape.sequence ? Element::f32 : element};
}

}  // namespace

PlacedNetwork place_network(const NetworkPlan& plan, Element element) {
  PlacedNetwork network{.input_shape = plan.input,
                        .num_outputs = plan.num_outputs,
                        .positions = plan.positions,
                        .input = layout_of(plan.input, element),
                        .layers = {},
                        .element = element,
                        .kernels = {},
                        .parameters = {}};
  const std::vector<bool> learns = learning_values(plan);
  for (const PlannedLayer& planned : plan.layers) {
    network.layers.push_back({.planned = planned,
                              .input = network.layout(planned.inputs.front()),
                              .output = layout_of(planned.output, element),
                              .gradient_stops = !learns[static_cast<std::size_t>(planned.inputs.front())]});
    PlacedLayer& layer = network.layers.back();
    layer.parameters.first_tensor = planned.weights;
    network.kernels.push_back(kernels_of(planned));
    network.kernels.back()->place(layer);
  }
  if (!sums_are_alike(network)) return place_network(plan, Element::f32);
  std::vector<LayerParameters*> parameters;
  for (PlacedLayer& layer : network.layers) parameters.push_back(&layer.parameters);
  network.parameters = ParameterLayout(parameters);
  return network;
}

}  // namespace troupe::cuda
