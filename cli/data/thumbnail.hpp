#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// A sample of shape {height, width} or {channels, height, width} as a picture of at most 64 pixels a side, by the mean
/// of what falls into a pixel; `least` becomes black and `most` white.
Image thumbnail(std::span<const float> values, const std::vector<std::int64_t>& shape, double least, double most);

}  // namespace troupe::cli
