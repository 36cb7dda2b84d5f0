#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// An array of numbers from a file, row-major, with elements of `item_size` bytes. `kind` is the letter that NumPy
/// uses: 'f' for floats, 'i' and 'u' for signed and unsigned integers, 'b' for bool.
struct NumberArray {
  char kind = 'f';
  int item_size = 4;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< little endian; empty for an array that remains in its file

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / item_size; }
  /// Returns whether the elements are integers. Elements of type bool count as the integers 0 and 1.
  bool is_integer() const { return kind != 'f'; }
  bool is_byte() const { return kind == 'u' && item_size == 1; }
  /// Returns the elements, rounded to floats.
  std::vector<float> floats() const;
  /// Returns the elements of an array for which `is_integer` returns true. Unsigned values above 2^63 - 1 become
  /// negative.
  std::vector<std::int64_t> integers() const;
  /// Returns the shape as text, such as "(2, 3)".
  std::string shape_text() const;
  /// Reverses the bytes of each element, which converts between big and little endian.
  void swap_bytes();
};

/// Throws Error limit_reached for an array that exceeds the memory limit for data. The message contains both sizes.
/// @param name the name of the array, for the error
/// @param bytes the size of the array in bytes
/// @param most the number of bytes that the limit leaves for the array
[[noreturn]] void throw_too_large(const std::string& name, std::uint64_t bytes, std::uint64_t most);

/// Returns the size in bytes of an array of this shape, whose elements have `item_size` bytes each. Returns 0 if one of
/// the lengths is 0.
/// @param path the name of the file, for the error
/// @throws Error bad_file if a length is negative, or if the product of `item_size` and all lengths except 0 does not
/// fit into 63 bits
std::uint64_t bytes_of_shape(const std::string& path, const std::vector<std::int64_t>& shape, int item_size);

}  // namespace troupe
