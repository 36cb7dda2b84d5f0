#pragma once

#include <cstdint>

#include "models/cpu/element.hpp"
#include "models/devices/statistics.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// The memory layout of a sample: [channels / inner][height][width][inner], including padding channels. The number of
/// channels is rounded up to a multiple of kChannelBlock, except for small inputs of a network. Padding channels are
/// computed like other channels, but their weights are zero. Therefore kernels need not distinguish padding channels
/// from other channels.
struct Layout {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t inner = 1;
  Element element = Element::f32;

  /// Returns the number of elements of a sample, including padding channels.
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

/// Returns the row-major layout of raw samples and canonical weights, without padding channels.
inline Layout plain_layout(const SampleShape& shape) { return {shape.channels, shape.height, shape.width, 1}; }

/// Returns the address of sample `first` of a batch with this layout.
inline const void* sample(const void* batch, const Layout& layout, std::int64_t first) {
  return static_cast<const std::byte*>(batch) + layout.bytes(first);
}
inline void* sample(void* batch, const Layout& layout, std::int64_t first) {
  return static_cast<std::byte*>(batch) + layout.bytes(first);
}

}  // namespace troupe::cpu
