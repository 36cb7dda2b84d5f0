#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// Describes one pixel of a scaled row or column as a weighted sum of consecutive old pixels.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> shares;  ///< weights of the old pixels, starting with pixel `first`; the sum of the weights is 1
};

/// Returns the weights for scaling a row or column from `from` to `to` pixels: one element for each new pixel. The
/// weights are those of a triangle filter around the centre of the new pixel. To each side, the filter reaches as far
/// as the width of a new pixel or of an old pixel, whichever is larger. Therefore every old pixel counts when a row
/// shrinks, and scaling to the same length changes nothing.
/// @param first the index of the first of the `from` old pixels in the whole row or column
std::vector<Taps> taps_of(std::int64_t first, std::int64_t from, std::int64_t to);

/// Scales one channel of an image to another height. Call this function after the rows have been scaled to the new
/// width.
/// @param rows the old rows, each with `width` floats
/// @param taps one element for each new row; its indices are those of old rows
/// @param to receives taps.size() rows of `width` floats
void scale_columns(const float* rows, std::int64_t width, const std::vector<Taps>& taps, float* to);

}  // namespace troupe
