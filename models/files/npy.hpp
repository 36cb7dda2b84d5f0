#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// An array of a NumPy file, row-major. `kind` is NumPy's: 'f' floats, 'i' and 'u' integers, 'b' bool, of `item_size`
/// bytes.
struct NpyArray {
  char kind = 'f';
  int item_size = 4;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< little endian

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / item_size; }
  /// Bool counts as 0 and 1.
  bool is_integer() const { return kind != 'f'; }
  bool is_byte() const { return kind == 'u' && item_size == 1; }
  /// The elements, rounded to floats.
  std::vector<float> floats() const;
  /// The elements of an integer array; of u8 those above what 63 bits hold are negative.
  std::vector<std::int64_t> integers() const;
};

/// Reads a .npy file of format 1, 2 or 3 with integers, floats (f2, f4, f8) or bool of either endian, in C order.
/// @throws Error bad_file for a file that is missing, of another type or order, or whose length is not what its
/// header says.
NpyArray read_npy(const std::string& path);
/// The same of a file's bytes. @param path what errors name
NpyArray parse_npy(const std::string& path, std::span<const std::byte> file);

}  // namespace troupe
