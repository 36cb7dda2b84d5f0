#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// Reads all arrays of a .npz file, as written by numpy.savez and savez_compressed, and returns them by name.
/// @param most the maximum size in bytes of all arrays together
/// @throws Error bad_file if the file is missing, damaged or not a .npz file, or contains an array that read_npy
/// rejects; limit_reached if the arrays together take more than `most` bytes
std::map<std::string, NumberArray> read_npz(const std::string& path, std::uint64_t most);

}  // namespace troupe
