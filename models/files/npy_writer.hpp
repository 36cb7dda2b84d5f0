#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Writes floats as a .npy file of format 1, row-major. It appears whole or not at all.
/// @param shape whose product is the number of floats. @throws Error bad_file
void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats);

}  // namespace troupe
