#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// An array of numbers from a file, row-major, with elements of `item_size` bytes. `kind` is NumPy's: 'f' floats, 'i'
/// and 'u' integers, 'b' bool.
struct NumberArray {
  char kind = 'f';
  int item_size = 4;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< little endian; empty for an array that remains in its file

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / item_size; }
  /// True for integers and bool; bool counts as 0 and 1.
  bool is_integer() const { return kind != 'f'; }
  bool is_byte() const { return kind == 'u' && item_size == 1; }
  /// The elements, rounded to floats.
  std::vector<float> floats() const;
  /// The elements of an integer array. Unsigned 64-bit values that need all 64 bits become negative.
  std::vector<std::int64_t> integers() const;
  /// The shape as text, such as "(2, 3)".
  std::string shape_text() const;
  /// Swaps big and little endian.
  void swap_bytes();
};

/// @throws Error limit_reached that names the size of the array and the remaining memory for data.
[[noreturn]] void throw_too_large(const std::string& name, std::uint64_t bytes, std::uint64_t most);

/// Returns the size in bytes of an array of this shape.
/// @throws Error bad_file that names the file if the product of the lengths that are not 0 exceeds 63 bits
std::uint64_t bytes_of_shape(const std::string& path, const std::vector<std::int64_t>& shape, int item_size);

}  // namespace troupe
