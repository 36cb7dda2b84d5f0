#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// An array of a NumPy file, row-major. `kind` is NumPy's: 'f' floats, 'i' and 'u' integers, of `item_size` bytes.
struct NpyArray {
  char kind = 'f';
  int item_size = 4;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< little endian

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / item_size; }
  bool is_integer() const { return kind != 'f'; }
  /// The elements, rounded to floats.
  std::vector<float> floats() const;
  /// The elements of an integer array.
  std::vector<std::int64_t> integers() const;
};

/// Reads a .npy file of format 1, 2 or 3 with little-endian f4, f8, u1, i4 or i8 in C order.
/// @throws Error bad_file for a file that is missing, of another type or order, or whose length is not what its
/// header says.
NpyArray read_npy(const std::string& path);

}  // namespace troupe
