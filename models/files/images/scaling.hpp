#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// What a new pixel of a row or column is made of.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> shares;  ///< of the old pixels from `first` on; their sum is 1
};

/// Scales a row or column by a triangle filter, as wide as a new pixel is and at least as an old one: so nothing of a
/// longer one is left out, and one of the right length stays as it is.
/// @param first of the old pixels, `from` of them become `to`
std::vector<Taps> taps_of(std::int64_t first, std::int64_t from, std::int64_t to);

/// The second half of scaling an image, along its columns.
/// @param rows of `width` floats, in which the taps count. @param to taps.size() rows
void scale_columns(const float* rows, std::int64_t width, const std::vector<Taps>& taps, float* to);

}  // namespace troupe
