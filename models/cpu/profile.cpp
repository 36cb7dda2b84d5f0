#include "models/cpu/profile.hpp"

#include <algorithm>
#include <string>

#include "models/layers/layers.hpp"

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

Profile::Profile(const PlacedNetwork& network) : network_(network) {
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    std::string kind = kind_of(network.layers[layer]);
    if (is_pooled(network, layer)) kind += " + pooling";
    const bool in_the_last = layer > 0 && is_pooled(network, layer - 1);
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
