#include "models/cpu/profile.hpp"

#include <algorithm>
#include <string>

namespace troupe::cpu {

namespace {

/// Of one pass over the batch.
double flops(const PlacedLayer& layer, std::int64_t batch) {
  const PlannedLayer& planned = layer.planned;
  return static_cast<double>(batch) * planned.layer->flops(planned.input, planned.output);
}

}  // namespace

Profile::Profile(const PlacedNetwork& network) : network_(network) {
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    std::string kind = network.layers[layer].planned.layer->label();
    if (is_joined(network, layer)) kind += " + " + network.layers[layer + 1].planned.layer->kind();
    const bool in_the_last = layer > 0 && is_joined(network, layer - 1);
    const auto found = std::ranges::find(times_, kind, &LayerTime::kind);
    kinds_.push_back(in_the_last ? kinds_.back() : static_cast<std::size_t>(found - times_.begin()));
    if (in_the_last) continue;
    if (found == times_.end()) times_.emplace_back().kind = kind;
    ++times_[kinds_.back()].layers;
  }
}

void Profile::add_forward(std::size_t layer, std::int64_t batch, double seconds) {
  LayerTime& time = times_[kinds_[layer]];
  time.forward_seconds += seconds;
  time.forward_flops += flops(network_.layers[layer], batch);
}

void Profile::add_backward(std::size_t layer, std::int64_t batch, double seconds) {
  LayerTime& time = times_[kinds_[layer]];
  time.backward_seconds += seconds;
  time.backward_flops += flops(network_.layers[layer], batch) * (network_.layers[layer].gradient_stops ? 1 : 2);
}

}  // namespace troupe::cpu
