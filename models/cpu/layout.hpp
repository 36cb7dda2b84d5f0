#pragma once

#include <cstdint>

#include "models/network_plan.hpp"

namespace troupe::cpu {

/// Channels are counted in multiples of this (small inputs of a network excepted), so that no blocked tensor has a
/// padded tail that a kernel would have to keep zero: extra channels are ordinary channels with zero weights.
inline constexpr std::int64_t kChannelBlock = 16;

inline std::int64_t round_up(std::int64_t count) { return (count + kChannelBlock - 1) / kChannelBlock * kChannelBlock; }

/// How a sample lies in memory: [channels / inner][height][width][inner], padding channels included.
struct Layout {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t inner = 1;

  /// Floats of one sample.
  std::int64_t size() const { return channels * height * width; }
  std::int64_t position(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return ((channel / inner * height + row) * width + column) * inner + channel % inner;
  }
  bool operator==(const Layout&) const = default;
};

/// Row-major, as samples come in and as canonical weights count them.
inline Layout plain_layout(const SampleShape& shape) { return {shape.channels, shape.height, shape.width, 1}; }

}  // namespace troupe::cpu
