#include "models/devices/parameters.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/hash.hpp"

namespace troupe {

namespace {

using CanonicalOut = std::span<float>::iterator;

void layer_out(const LayerParameters& layer, std::span<const float> weights, CanonicalOut next) {
  const float* const own = weights.data() + layer.offset;
  if (layer.weights) {
    layer.weights->to_canonical(own, &*next);
    next += static_cast<std::ptrdiff_t>(layer.weights->canonical_floats());
  }
  for (int i = 0; i < layer.vectors; ++i) next = std::copy_n(own + layer.vector(i), layer.channels, next);
  if (layer.normalised == 0) return;
  for (const Statistic which : {Statistic::mean, Statistic::variance})
    for (std::int64_t channel = 0; channel < layer.channels; ++channel)
      *next++ = weights[layer.statistics + statistic_position(which, channel)];
}

void weights_in(const WeightsLayout& layout, const ReadTensor& read, float* weights) {
  std::vector<float> canonical(layout.canonical_floats());
  read(canonical);
  layout.from_canonical(canonical.data(), weights);
}

void vectors_in(const LayerParameters& layer, const ReadTensor& read, float* own) {
  if (layer.parts.empty()) {
    for (int i = 0; i < layer.vectors; ++i) read({own + layer.vector(i), static_cast<std::size_t>(layer.channels)});
    return;
  }
  float* next = own + layer.vector(0);
  for (const std::int64_t floats : layer.parts) {
    read({next, static_cast<std::size_t>(floats)});
    next += floats;
  }
}

}  // namespace

void LayerParameters::set_parts(const std::vector<std::int64_t>& lengths) {
  vectors = lengths.empty() ? 0 : 1;
  parts = lengths;
  channels = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

std::size_t LayerParameters::canonical_floats() const {
  const std::int64_t rows = vectors + (normalised > 0 ? 2 : 0);
  return (weights ? weights->canonical_floats() : 0) + static_cast<std::size_t>(rows * channels);
}

ParameterLayout::ParameterLayout(const std::vector<LayerParameters*>& layers) {
  for (LayerParameters* const layer : layers) {
    layer->offset = padding_begin_;
    padding_begin_ += layer->size();
  }
  learned_size_ = (padding_begin_ + kStatisticsGroup - 1) / kStatisticsGroup * kStatisticsGroup;
  size_ = learned_size_;
  for (LayerParameters* const layer : layers) {
    layer->statistics = size_;
    size_ += layer->statistics_size();
    if (layer->first_tensor >= 0) layers_.push_back(*layer);
  }
  std::ranges::sort(layers_, {}, &LayerParameters::first_tensor);
}

std::string ParameterLayout::fingerprint() const {
  std::string layout;
  for (const LayerParameters& layer : layers_) {
    layout += std::to_string(layer.offset) + ',' + std::to_string(layer.size()) + ',' +
              std::to_string(layer.statistics_size()) + ';';
    if (layer.weights) layout += layer.weights->text() + ';';
  }
  return hex(checksum(std::as_bytes(std::span(layout))));
}

void ParameterLayout::to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const {
  const std::size_t end = begin + part.size();
  std::size_t next = 0;
  for (const LayerParameters& layer : layers_) {
    const std::size_t first = next;
    next += layer.canonical_floats();
    if (next <= begin || first >= end) continue;
    if (first >= begin && next <= end) {
      layer_out(layer, weights, part.subspan(first - begin).begin());
      continue;
    }
    // `part` begins or ends inside this layer, so the tensors of the whole layer are converted to a temporary vector.
    std::vector<float> whole(layer.canonical_floats());
    layer_out(layer, weights, std::span(whole).begin());
    const std::size_t from = std::max(first, begin);
    std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from - first), std::min(next, end) - from,
                part.subspan(from - begin).begin());
  }
}

void ParameterLayout::from_canonical(const ReadTensor& read, std::span<float> weights) const {
  std::ranges::fill(weights, 0.0F);
  for (const LayerParameters& layer : layers_) {
    float* const own = weights.data() + layer.offset;
    if (layer.weights) weights_in(*layer.weights, read, own);
    vectors_in(layer, read, own);
    if (layer.normalised == 0) continue;
    std::vector<float> values(static_cast<std::size_t>(layer.channels));
    for (const Statistic which : {Statistic::mean, Statistic::variance}) {
      read(values);
      for (std::int64_t channel = 0; channel < layer.channels; ++channel)
        weights[layer.statistics + statistic_position(which, channel)] = values[static_cast<std::size_t>(channel)];
    }
  }
}

void ParameterLayout::update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                        std::span<const float> statistics, std::span<float> updated) const {
  const std::size_t end = begin + mean.size();
  for (const LayerParameters& layer : layers_) {
    const std::size_t first = std::max(begin, layer.statistics);
    const std::size_t last = std::min(end, layer.statistics + layer.statistics_size());
    if (first >= last) continue;
    const std::size_t at = first - begin;
    const std::size_t count = last - first;
    update_running_statistics(mean.subspan(at, count), samples * layer.normalised, statistics.subspan(at, count),
                              updated.subspan(at, count));
  }
}

}  // namespace troupe
