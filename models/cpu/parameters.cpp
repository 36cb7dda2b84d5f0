#include "models/cpu/parameters.hpp"

#include <algorithm>

#include "models/aligned.hpp"
#include "runtime/hash.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

void reorder(const memory::desc& from_desc, const float* from, const memory::desc& to_desc, float* to) {
  const OneThread one_thread;
  Context context;
  memory source(from_desc, context.engine, const_cast<float*>(from));
  memory target(to_desc, context.engine, to);
  dnnl::reorder(source, target).execute(context.stream, source, target);
  context.stream.wait();
}

std::string text(const memory::desc& desc) {
  std::string text = "f32";
  const auto append = [&text](const dnnl_dim_t* values, int count) {
    text += ':';
    for (int i = 0; i < count; ++i) text += std::to_string(values[i]) + ',';
  };
  const auto& blocking = desc.data.format_desc.blocking;
  append(desc.data.dims, desc.data.ndims);
  append(blocking.strides, desc.data.ndims);
  append(blocking.inner_blks, blocking.inner_nblks);
  append(blocking.inner_idxs, blocking.inner_nblks);
  return text;
}

using CanonicalOut = std::span<float>::iterator;

CanonicalOut weights_out(const WeightsLayout& layout, const float* weights, CanonicalOut next) {
  if (layout.is_canonical()) {
    reorder(layout.stored, weights, layout.plain, &*next);
    return next + static_cast<std::ptrdiff_t>(layout.canonical_floats());
  }
  AlignedFloats plain(layout.floats());
  reorder(layout.stored, weights, layout.plain, plain.data());
  const std::size_t columns = plain.size() / static_cast<std::size_t>(layout.padded_outputs());
  for (std::size_t row = 0; row < static_cast<std::size_t>(layout.outputs); ++row)
    for (const std::int64_t position : layout.positions)
      *next++ = plain[row * columns + static_cast<std::size_t>(position)];
  return next;
}

void layer_out(const LayerParameters& layer, std::span<const float> weights, CanonicalOut next) {
  const float* const own = weights.data() + layer.offset;
  if (layer.weights.exists()) next = weights_out(layer.weights, own, next);
  for (int i = 0; i < layer.vectors; ++i) next = std::copy_n(own + layer.vector(i), layer.channels, next);
  if (layer.normalised == 0) return;
  for (const Statistic which : {Statistic::mean, Statistic::variance})
    for (std::int64_t channel = 0; channel < layer.channels; ++channel)
      *next++ = weights[layer.statistics + statistic_position(which, channel)];
}

void weights_in(const WeightsLayout& layout, const ReadTensor& read, float* weights) {
  std::vector<float> canonical(static_cast<std::size_t>(layout.outputs) * layout.positions.size());
  read(canonical);
  auto next = canonical.cbegin();
  AlignedFloats plain(layout.floats(), 0.0F);
  const std::size_t columns = plain.size() / static_cast<std::size_t>(layout.padded_outputs());
  for (std::size_t row = 0; row < static_cast<std::size_t>(layout.outputs); ++row)
    for (const std::int64_t position : layout.positions)
      plain[row * columns + static_cast<std::size_t>(position)] = *next++;
  reorder(layout.plain, plain.data(), layout.stored, weights);
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

bool WeightsLayout::is_canonical() const {
  if (floats() != canonical_floats()) return false;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

std::size_t LayerParameters::canonical_floats() const {
  const std::int64_t rows = vectors + (normalised > 0 ? 2 : 0);
  return (weights.exists() ? weights.canonical_floats() : 0) + static_cast<std::size_t>(rows * channels);
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
    if (!layer.weights.exists()) continue;
    layout += text(layer.weights.stored) + ';';
    for (const std::int64_t position : layer.weights.positions) layout += std::to_string(position) + ',';
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
    std::vector<float> whole(layer.canonical_floats());  // the part begins or ends in it
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
    if (layer.weights.exists()) weights_in(layer.weights, read, own);
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

}  // namespace troupe::cpu
