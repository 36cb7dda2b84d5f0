#pragma once

#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Places in a workspace are multiples of this many bytes.
inline std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAligned = 256;
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

/// How a sample lies on the device: [height][width][channels], without padding. Features are floats.
struct Layout {
  SampleShape shape;
  Element element = Element::f32;

  std::int64_t pixels() const { return shape.height * shape.width; }
  std::int64_t size() const { return shape.size(); }
  std::size_t values(std::int64_t samples) const { return static_cast<std::size_t>(samples * size()); }
  std::size_t bytes(std::int64_t samples) const { return values(samples) * size_of(element); }
};

}  // namespace troupe::cuda
