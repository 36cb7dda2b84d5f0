#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/files/number_array.hpp"

namespace troupe {

/// Reads all arrays of a .npz file, as numpy.savez and savez_compressed write it, by their names.
/// @param most bytes of memory that they may take
/// @throws Error bad_file for a file that is missing, none, or damaged, or holds what read_npy refuses; limit_reached
/// where they take more
std::map<std::string, NumberArray> read_npz(const std::string& path, std::uint64_t most);

}  // namespace troupe
