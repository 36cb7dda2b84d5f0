#pragma once

#include <cstdint>

#include "models/cpu/element.hpp"
#include "models/devices/statistics.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// How a sample lies in memory: [channels / inner][height][width][inner], padding channels included: channels are
/// counted in multiples of kChannelBlock (small inputs of a network excepted), so that no blocked tensor has a padded
/// tail that a kernel would have to keep zero: extra channels are ordinary channels with zero weights.
struct Layout {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t inner = 1;
  Element element = Element::f32;

  /// Elements of one sample.
  std::int64_t size() const { return channels * height * width; }
  std::size_t bytes(std::int64_t samples) const {
    return static_cast<std::size_t>(samples * size()) * size_of(element);
  }
  std::int64_t pixels() const { return height * width; }
  std::int64_t position(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return ((channel / inner * height + row) * width + column) * inner + channel % inner;
  }
  bool operator==(const Layout&) const = default;
};

/// Row-major, as samples come in and as canonical weights count them.
inline Layout plain_layout(const SampleShape& shape) { return {shape.channels, shape.height, shape.width, 1}; }

/// Where sample `first` of a batch starts.
inline const void* sample(const void* batch, const Layout& layout, std::int64_t first) {
  return static_cast<const std::byte*>(batch) + layout.bytes(first);
}
inline void* sample(void* batch, const Layout& layout, std::int64_t first) {
  return static_cast<std::byte*>(batch) + layout.bytes(first);
}

}  // namespace troupe::cpu
