#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// A new pixel of a row or column, as a weighted sum of old pixels.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> shares;  ///< weights of the old pixels from `first` on; their sum is 1
};

/// Returns the weights of the old pixels in each new pixel, for scaling a row or column from `from` to `to` pixels.
/// Uses a triangle filter. To each side, it reaches the width of a new pixel or of an old pixel, whichever is larger.
/// Therefore shrinking skips no pixel, and scaling to the same length changes nothing.
/// @param first the index of the first old pixel
std::vector<Taps> taps_of(std::int64_t first, std::int64_t from, std::int64_t to);

/// Scales an image to another height, as the second step after scaling its rows to another width.
/// @param rows the old rows, `width` floats each; the taps contain indices of these rows
/// @param to receives taps.size() rows
void scale_columns(const float* rows, std::int64_t width, const std::vector<Taps>& taps, float* to);

}  // namespace troupe
