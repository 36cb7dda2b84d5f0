#pragma once

#include <cstdint>
#include <span>

namespace troupe {

/// A channel of an image, row-major.
struct PlaneView {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::span<const float> values;
};

/// Scales a channel to another size by a triangle filter, as wide as a new pixel is and at least as an old one: so
/// nothing of a larger image is left out, and one of the right size stays as it is. Needs width * plane.height floats.
/// @param to width * height floats
void scale_plane(const PlaneView& plane, std::int64_t width, std::int64_t height, std::span<float> to);

}  // namespace troupe
