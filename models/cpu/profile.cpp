#include "models/cpu/profile.hpp"

#include <algorithm>
#include <string>

#include "models/layers.hpp"

namespace troupe::cpu {

namespace {

using Kind = models::Layer::Kind;

/// Convolutions by their kernels, which differ in speed.
std::string kind_of(const PlacedLayer& layer) {
  const std::string kernel = std::to_string(layer.planned.layer.kernel);
  const std::string name = models::kind_name(layer.planned.layer.kind);
  return layer.planned.layer.kind == Kind::convolution ? name + ' ' + kernel + 'x' + kernel : name;
}

/// Of one pass over the batch: a multiplication and an addition for each weight and output pixel.
double flops(const PlacedLayer& layer, std::int64_t batch) {
  const PlannedLayer& planned = layer.planned;
  const auto outputs = static_cast<double>(batch * planned.output.size());
  if (planned.layer.kind == Kind::linear) return 2 * outputs * static_cast<double>(planned.input.size());
  if (planned.layer.kind != Kind::convolution) return 0;
  return 2 * outputs * static_cast<double>(planned.input.channels * planned.layer.kernel * planned.layer.kernel);
}

}  // namespace

Profile::Profile(const std::vector<PlacedLayer>& layers) {
  for (const PlacedLayer& layer : layers) ++of(layer).layers;
}

LayerTime& Profile::of(const PlacedLayer& layer) {
  const std::string kind = kind_of(layer);
  const auto found = std::ranges::find(times_, kind, &LayerTime::kind);
  if (found != times_.end()) return *found;
  times_.emplace_back().kind = kind;
  return times_.back();
}

void Profile::add_forward(const PlacedLayer& layer, std::int64_t batch, double seconds) {
  LayerTime& time = of(layer);
  time.forward_seconds += seconds;
  time.forward_flops += flops(layer, batch);
}

void Profile::add_backward(const PlacedLayer& layer, std::int64_t batch, double seconds) {
  LayerTime& time = of(layer);
  time.backward_seconds += seconds;
  time.backward_flops += flops(layer, batch) * (layer.gradient_stops ? 1 : 2);
}

}  // namespace troupe::cpu
