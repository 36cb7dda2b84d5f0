#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// The old pixels and weights that make up a new pixel of a row or column.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> shares;  ///< weights of the old pixels from `first` on; their sum is 1
};

/// Scales a row or column with a triangle filter. The filter is as wide as a new pixel but at least as wide as an old
/// one. So shrinking skips no pixel, and scaling to the same length changes nothing.
/// @param first the first old pixel; `from` old pixels become `to` new ones
std::vector<Taps> taps_of(std::int64_t first, std::int64_t from, std::int64_t to);

/// Scales an image along its columns: the second step after scaling its rows.
/// @param rows rows of `width` floats, indexed by the taps. @param to receives taps.size() rows
void scale_columns(const float* rows, std::int64_t width, const std::vector<Taps>& taps, float* to);

}  // namespace troupe
