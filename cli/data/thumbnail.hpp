#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Makes a picture from a sample of shape {height, width} or {channels, height, width}. If a side has more than 64
/// values, the picture is reduced to at most 64 pixels per side; each pixel is then the mean of the values in its area.
/// The value `least` becomes black, and the value `most` becomes white.
Image thumbnail(std::span<const float> values, const std::vector<std::int64_t>& shape, double least, double most);

}  // namespace troupe::cli
