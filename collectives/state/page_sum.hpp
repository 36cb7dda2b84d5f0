#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace troupe {

/// Returns the checksum of a range of a flat vector: the sum, modulo 2^64, of the XXH3-64 checksums of its pages. The
/// checksum of a page also depends on the number of the page. So if a range is divided at page borders, the checksums
/// of the parts add up to the checksum of the whole range.
/// @param floats the values of the range
/// @param begin the index in the flat vector of the first value
std::uint64_t page_sum(std::span<const float> floats, std::size_t begin);

}  // namespace troupe
