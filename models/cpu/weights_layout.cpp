#include "models/cpu/weights_layout.hpp"

#include "models/aligned.hpp"

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
  const BlockedLayout layout = layout_of(desc);
  std::string text = "f32:";
  for (const dnnl_dim_t extent : layout.extents) text += std::to_string(extent) + ',';
  text += ':';
  for (const dnnl_dim_t stride : layout.strides) text += std::to_string(stride) + ',';
  text += ':';
  for (const auto& [dimension, length] : layout.inner) text += std::to_string(length) + ',';
  text += ':';
  for (const auto& [dimension, length] : layout.inner) text += std::to_string(dimension) + ',';
  return text;
}

}  // namespace

std::string StoredWeights::text() const {
  std::string text = cpu::text(stored) + ';';
  for (const std::int64_t position : positions) text += std::to_string(position) + ',';
  return text;
}

bool StoredWeights::is_canonical() const {
  if (floats() != canonical_floats()) return false;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

void StoredWeights::to_canonical(const float* weights, float* canonical) const {
  if (is_canonical()) return reorder(stored, weights, plain, canonical);
  AlignedFloats rows(floats());
  reorder(stored, weights, plain, rows.data());
  const std::size_t columns = row_length();
  for (std::size_t row = 0; row < static_cast<std::size_t>(outputs); ++row)
    for (const std::int64_t position : positions)
      *canonical++ = rows[row * columns + static_cast<std::size_t>(position)];
}

void StoredWeights::from_canonical(const float* canonical, float* weights) const {
  if (is_canonical()) return reorder(plain, canonical, stored, weights);
  AlignedFloats rows(floats(), 0.0F);
  const std::size_t columns = row_length();
  for (std::size_t row = 0; row < static_cast<std::size_t>(outputs); ++row)
    for (const std::int64_t position : positions)
      rows[row * columns + static_cast<std::size_t>(position)] = *canonical++;
  reorder(plain, rows.data(), stored, weights);
}

}  // namespace troupe::cpu
