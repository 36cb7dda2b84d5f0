#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Makes a picture with sides of at most 64 pixels from a sample of shape {height, width} or {channels, height, width}.
/// Each pixel of a smaller picture is the mean of the sample's values in its area. The value `least` becomes black and
/// `most` white.
Image thumbnail(std::span<const float> values, const std::vector<std::int64_t>& shape, double least, double most);

}  // namespace troupe::cli
