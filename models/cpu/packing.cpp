#include "models/cpu/packing.hpp"

#include <cstring>

#include "models/cpu/elementwise.hpp"

namespace troupe::cpu {

namespace {

/// Calls visit(index in the layout, index in the row-major samples) for each value of a batch, without padding.
template <class Visit>
void for_each_value(const SampleShape& shape, const Layout& layout, std::int64_t batch, const Visit& visit) {
  std::int64_t plain = 0;
  for (std::int64_t sample = 0; sample < batch; ++sample)
    for (std::int64_t channel = 0; channel < shape.channels; ++channel)
      for (std::int64_t row = 0; row < shape.height; ++row)
        for (std::int64_t column = 0; column < shape.width; ++column)
          visit(sample * layout.size() + layout.position(channel, row, column), plain++);
}

bool in_order(const SampleShape& shape, const Layout& layout) {
  return (layout.inner == 1 || shape.sequence) && layout.channels == shape.channels;
}

}  // namespace

void pack(const float* samples, const SampleShape& shape, const Layout& layout, std::int64_t batch, void* to) {
  if (in_order(shape, layout)) return from_floats(samples, to, layout, batch);
  std::memset(to, 0, layout.bytes(batch));
  for_each_value(shape, layout, batch, [&](std::int64_t at, std::int64_t plain) {
    if (layout.element == Element::f32) return store(samples[plain], static_cast<float*>(to)[at]);
    store(samples[plain], static_cast<Bfloat16*>(to)[at]);
  });
}

void unpack(const void* from, const SampleShape& shape, const Layout& layout, std::int64_t batch, float* samples) {
  if (in_order(shape, layout)) return to_floats(from, samples, layout, batch);
  for_each_value(shape, layout, batch, [&](std::int64_t at, std::int64_t plain) {
    samples[plain] = layout.element == Element::f32 ? static_cast<const float*>(from)[at]
                                                    : to_float(static_cast<const Bfloat16*>(from)[at]);
  });
}

void clear_padding(const SampleShape& shape, const Layout& layout, std::int64_t batch, void* values) {
  if (layout.channels == shape.channels) return;
  const std::size_t size = size_of(layout.element);
  auto* const bytes = static_cast<std::byte*>(values);
  for (std::int64_t sample = 0; sample < batch; ++sample)
    for (std::int64_t channel = shape.channels; channel < layout.channels; ++channel)
      for (std::int64_t row = 0; row < layout.height; ++row)
        for (std::int64_t column = 0; column < layout.width; ++column) {
          const std::int64_t at = sample * layout.size() + layout.position(channel, row, column);
          std::memset(bytes + static_cast<std::size_t>(at) * size, 0, size);
        }
}

}  // namespace troupe::cpu
