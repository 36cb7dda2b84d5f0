#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// An array of bytes as the IDX files of MNIST hold it, row-major.
struct IdxArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// Reads a gzipped IDX file of unsigned bytes with `dimensions` dimensions.
/// @throws Error bad_file for a file that is missing, not gzip, truncated, damaged, of another type or rank, longer
/// than its header says, or whose header promises more than the file could hold.
IdxArray read_idx(const std::string& path, int dimensions);

}  // namespace troupe
