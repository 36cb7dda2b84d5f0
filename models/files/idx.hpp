#pragma once

#include <cstdint>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// Reads an IDX file (the format of MNIST), plain or gzipped. Its elements may be bytes, integers of 2 or 4 bytes, or
/// floats of 4 or 8 bytes.
/// @param most the maximum size of the elements in bytes
/// @throws Error bad_file if the file is missing, damaged or of another type, or is shorter or longer than its header
/// declares; limit_reached if the elements take more than `most` bytes.
NumberArray read_idx(const std::string& path, std::uint64_t most = UINT64_MAX);

}  // namespace troupe
