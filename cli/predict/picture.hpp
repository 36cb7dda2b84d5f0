#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe::cli {

/// A sample as lines of block characters, from its darkest to its brightest value, colours as grey; at most 28 columns
/// wide. Empty for samples that are no images.
std::string picture(std::span<const float> sample, const std::vector<std::int64_t>& shape);

}  // namespace troupe::cli
