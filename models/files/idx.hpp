#pragma once

#include <cstdint>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// Reads an IDX file, as MNIST's are: of bytes, integers of 2 or 4 bytes, or floats of 4 or 8; gzipped or not.
/// @throws Error bad_file for a file that is missing, truncated, damaged, of another type, longer than its header says,
/// or whose header promises more than the file could hold; limit_reached where its elements take more than `most`
/// bytes.
NumberArray read_idx(const std::string& path, std::uint64_t most = UINT64_MAX);

}  // namespace troupe
