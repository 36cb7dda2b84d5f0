#include "models/cpu/placed_network.hpp"

#include <algorithm>
#include <optional>

namespace troupe::cpu {

namespace {

std::shared_ptr<const LayerKernels> kernels_of(const PlannedLayer& layer) {
  std::shared_ptr<const LayerKernels> kernels = layer.layer->on_cpu();
  if (!kernels) throw Error(ErrorCode::unsupported, "there is no CPU implementation of " + layer.layer->kind());
  return kernels;
}

/// Returns the layout of the network's input. This is the layout of raw samples, if all layers that read the input can
/// read raw samples. Otherwise it is the blocked layout.
Layout input_layout(const std::vector<PlacedLayer>& layers, const SampleShape& input, Element element) {
  if (input.flat) return {.channels = round_up(input.channels)};
  const Layout blocked = image_layout(input, element);
  std::optional<Layout> common;
  for (const PlacedLayer& layer : layers) {
    if (std::ranges::find(layer.planned.inputs, 0) == layer.planned.inputs.end()) continue;
    const Layout wanted = layer.kernels->sample_layout(input, element).value_or(blocked);
    if (common && *common != wanted) return blocked;
    common = wanted;
  }
  return common.value_or(blocked);
}

bool feeds_only_next(const PlacedNetwork& network, std::size_t layer) {
  std::size_t readers = 0;
  for (const PlacedLayer& other : network.layers)
    readers += static_cast<std::size_t>(std::ranges::count(other.planned.inputs, static_cast<int>(layer) + 1));
  return readers == 1 && layer + 1 < network.layers.size() &&
         network.layers[layer + 1].planned.inputs.front() == static_cast<int>(layer) + 1;
}

}  // namespace

bool is_joined(const PlacedNetwork& network, std::size_t layer) {
  if (!feeds_only_next(network, layer)) return false;
  const PlacedLayer& first = network.layers[layer];
  return first.kernels->joins(first, network.layers[layer + 1]);
}

PlacedNetwork place_network(Context& context, const NetworkPlan& plan, std::int64_t batch, Element element) {
  PlacedNetwork network;
  network.input_shape = plan.input;
  network.num_outputs = plan.num_outputs;
  network.positions = plan.positions;
  const std::vector<bool> learns = learning_values(plan);
  for (const PlannedLayer& planned : plan.layers)
    network.layers.push_back({.planned = planned,
                              .kernels = kernels_of(planned),
                              .input = {},
                              .output = {},
                              .parameters = {},
                              .weights = {},
                              .gradient_stops = !learns[static_cast<std::size_t>(planned.inputs.front())]});
  network.input = input_layout(network.layers, plan.input, element);
  for (PlacedLayer& layer : network.layers) {
    layer.output = layer.input = network.layout(layer.planned.inputs.front());
    layer.parameters.first_tensor = layer.planned.weights;
    layer.kernels->place(context, layer, batch);
  }
  std::vector<LayerParameters*> parameters;
  for (PlacedLayer& layer : network.layers) parameters.push_back(&layer.parameters);
  network.parameters = ParameterLayout(parameters);
  for (PlacedLayer& layer : network.layers)
    if (layer.planned.shares >= 0)
      layer.parameters.offset = network.layers[static_cast<std::size_t>(layer.planned.shares)].parameters.offset;
  return network;
}

std::vector<ProfiledLayer> profiled_layers(const PlacedNetwork& network) {
  std::vector<ProfiledLayer> layers;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const PlacedLayer& layer = network.layers[i];
    ProfiledLayer& added = layers.emplace_back(profiled(layer.planned, layer.gradient_stops));
    if (i > 0 && is_joined(network, i - 1))
      added.kind.clear();
    else if (is_joined(network, i))
      added.kind += " + " + network.layers[i + 1].planned.layer->kind();
  }
  return layers;
}

}  // namespace troupe::cpu
