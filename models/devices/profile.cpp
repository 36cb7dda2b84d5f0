#include "models/devices/profile.hpp"

#include <algorithm>

namespace troupe {

ProfiledLayer profiled(const PlannedLayer& layer, bool gradient_stops) {
  const double flops = layer.layer->flops(layer.input, layer.output);
  return {layer.layer->label(), flops, flops * (gradient_stops ? 1 : 2)};
}

Profile::Profile(const std::vector<ProfiledLayer>& layers) : layers_(layers) {
  for (const ProfiledLayer& layer : layers_) {
    if (layer.kind.empty()) {
      kinds_.push_back(kinds_.back());
      continue;
    }
    const auto found = std::ranges::find(times_, layer.kind, &LayerTime::kind);
    kinds_.push_back(static_cast<std::size_t>(found - times_.begin()));
    if (found == times_.end()) times_.emplace_back().kind = layer.kind;
    ++times_[kinds_.back()].layers;
  }
}

void Profile::add_forward(std::size_t layer, std::int64_t batch, double seconds) {
  LayerTime& time = times_[kinds_[layer]];
  time.forward_seconds += seconds;
  time.forward_flops += static_cast<double>(batch) * layers_[layer].forward_flops;
}

void Profile::add_backward(std::size_t layer, std::int64_t batch, double seconds) {
  LayerTime& time = times_[kinds_[layer]];
  time.backward_seconds += seconds;
  time.backward_flops += static_cast<double>(batch) * layers_[layer].backward_flops;
}

}  // namespace troupe
