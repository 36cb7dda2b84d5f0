#include "models/cpu/parameters.hpp"

#include <algorithm>

#include "runtime/hash.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

void reorder(const memory::desc& from_desc, const float* from, const memory::desc& to_desc, float* to) {
  use_one_thread();
  Context context;
  const memory source(from_desc, context.engine, const_cast<float*>(from));
  memory target(to_desc, context.engine, to);
  dnnl::reorder(source, target).execute(context.stream, const_cast<memory&>(source), target);
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

std::size_t floats(const memory::desc& desc) { return desc.get_size() / sizeof(float); }

}  // namespace

void ParameterLayout::place(LayerParameters& layer) {
  layer.offset = size_;
  size_ += layer.size();
  layers_.push_back(layer);
}

std::string ParameterLayout::fingerprint() const {
  std::string layout;
  for (const LayerParameters& layer : layers_) {
    layout += text(layer.stored) + ';';
    for (const std::int64_t position : layer.positions) layout += std::to_string(position) + ',';
  }
  return sha256_hex(std::as_bytes(std::span(layout))).substr(0, 16);
}

void ParameterLayout::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  auto next = canonical.begin();
  for (const LayerParameters& layer : layers_) {
    AlignedFloats plain(floats(layer.plain));
    reorder(layer.stored, weights.data() + layer.offset, layer.plain, plain.data());
    const std::size_t columns = plain.size() / static_cast<std::size_t>(layer.padded_outputs());
    for (std::size_t row = 0; row < static_cast<std::size_t>(layer.outputs); ++row)
      for (const std::int64_t position : layer.positions)
        *next++ = plain[row * columns + static_cast<std::size_t>(position)];
    next = std::copy_n(weights.data() + layer.offset + layer.biases(), layer.outputs, next);
  }
}

void ParameterLayout::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::fill(weights.begin(), weights.end(), 0.0F);
  auto next = canonical.begin();
  for (const LayerParameters& layer : layers_) {
    AlignedFloats plain(floats(layer.plain), 0.0F);
    const std::size_t columns = plain.size() / static_cast<std::size_t>(layer.padded_outputs());
    for (std::size_t row = 0; row < static_cast<std::size_t>(layer.outputs); ++row)
      for (const std::int64_t position : layer.positions)
        plain[row * columns + static_cast<std::size_t>(position)] = *next++;
    reorder(layer.plain, plain.data(), layer.stored, weights.data() + layer.offset);
    std::copy_n(next, layer.outputs, weights.data() + layer.offset + layer.biases());
    next += layer.outputs;
  }
}

}  // namespace troupe::cpu
