#include "models/cpu/placed_network.hpp"

#include <algorithm>

namespace troupe::cpu {

namespace {

using Kind = models::Layer::Kind;

/// oneDNN has convolutions that read so few channels as they are.
constexpr std::int64_t kSmallInput = 3;

/// As the samples are, where the layers that take them can read that.
Layout input_layout(const NetworkPlan& plan, Element element) {
  if (plan.input.flat) return {.channels = round_up(plan.input.channels)};
  Layout plain = plain_layout(plan.input);
  const auto all_readers = [&](Kind kind) {
    return std::ranges::all_of(plan.layers, [kind](const PlannedLayer& layer) {
      return std::ranges::find(layer.inputs, 0) == layer.inputs.end() || layer.layer.kind == kind;
    });
  };
  if (all_readers(Kind::linear)) return plain;
  plain.element = element;
  if (all_readers(Kind::convolution) && plain.channels <= kSmallInput) return plain;
  return image_layout(plan.input, element);
}

void place_layer(Context& context, PlacedLayer& layer, std::int64_t batch) {
  const PlannedLayer& planned = layer.planned;
  layer.parameters.first_tensor = planned.weights;
  switch (planned.layer.kind) {
    case Kind::convolution:
      return place_convolution(context, layer, batch);
    case Kind::linear:
      return place_linear(context, layer, batch);
    case Kind::batch_norm:
      layer.parameters.vectors = 2;
      layer.parameters.channels = planned.output.channels;
      layer.parameters.normalised = layer.input.pixels();
      return;
    case Kind::max_pool:
      layer.output.height = planned.output.height;
      layer.output.width = planned.output.width;
      return;
    case Kind::global_average_pool:
      layer.output = {.channels = layer.input.channels};
      return;
    case Kind::relu:
    case Kind::add:
      return;
    case Kind::flatten:
      break;
  }
  throw Error(ErrorCode::unsupported, "a layer of a kind that the CPU does not know");
}

bool feeds_only_next(const PlacedNetwork& network, std::size_t layer) {
  std::size_t readers = 0;
  for (const PlacedLayer& other : network.layers)
    readers += static_cast<std::size_t>(std::ranges::count(other.planned.inputs, static_cast<int>(layer) + 1));
  return readers == 1 && layer + 1 < network.layers.size() &&
         network.layers[layer + 1].planned.inputs.front() == static_cast<int>(layer) + 1;
}

}  // namespace

bool sums_are_alike(const PlacedNetwork& network) {
  return std::ranges::all_of(network.layers, [&](const PlacedLayer& layer) {
    const std::vector<int>& inputs = layer.planned.inputs;
    return inputs.size() < 2 || network.layout(inputs[0]).element == network.layout(inputs[1]).element;
  });
}

bool is_pooled(const PlacedNetwork& network, std::size_t layer) {
  const PlannedLayer& planned = network.layers[layer].planned;
  if (planned.layer.kind != Kind::convolution || planned.relu || !feeds_only_next(network, layer)) return false;
  const PlacedLayer& next = network.layers[layer + 1];
  return next.planned.layer.kind == Kind::max_pool && has_plain_windows(next);
}

std::vector<bool> learning_values(const NetworkPlan& plan) {
  std::vector<bool> learns(plan.layers.size() + 1, false);
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const auto learning = [&](int value) { return learns[static_cast<std::size_t>(value)]; };
    learns[i + 1] = plan.layers[i].weights >= 0 || std::ranges::any_of(plan.layers[i].inputs, learning);
  }
  return learns;
}

PlacedNetwork place_network(Context& context, const NetworkPlan& plan, std::int64_t batch, Element element) {
  PlacedNetwork network;
  network.input_shape = plan.input;
  network.num_outputs = plan.num_outputs;
  network.input = input_layout(plan, element);
  const std::vector<bool> learns = learning_values(plan);
  for (const PlannedLayer& planned : plan.layers) {
    const Layout input = network.layout(planned.inputs.front());
    const bool stops = !learns[static_cast<std::size_t>(planned.inputs.front())];
    PlacedLayer layer{.planned = planned, .input = input, .output = input, .parameters = {}, .gradient_stops = stops};
    place_layer(context, layer, batch);
    network.layers.push_back(std::move(layer));
  }
  std::vector<LayerParameters*> parameters;
  for (PlacedLayer& layer : network.layers) parameters.push_back(&layer.parameters);
  network.parameters = ParameterLayout(parameters);
  return network;
}

}  // namespace troupe::cpu
