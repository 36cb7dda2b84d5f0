#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// Reads all arrays of a .npz file, as written by numpy.savez and savez_compressed, and returns them by name.
/// @param most the largest total size of the arrays in memory, in bytes
/// @throws Error bad_file for a file that is missing, not a .npz file or damaged, or that contains an array that
/// read_npy rejects; limit_reached if the arrays are larger than `most`
std::map<std::string, NumberArray> read_npz(const std::string& path, std::uint64_t most);

}  // namespace troupe
