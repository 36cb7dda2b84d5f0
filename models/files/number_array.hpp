#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// An array of numbers of a file, row-major. `kind` is NumPy's: 'f' floats, 'i' and 'u' integers, 'b' bool, of
/// `item_size` bytes.
struct NumberArray {
  char kind = 'f';
  int item_size = 4;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< little endian; none of an array that stays in its file

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()) / item_size; }
  /// Bool counts as 0 and 1.
  bool is_integer() const { return kind != 'f'; }
  bool is_byte() const { return kind == 'u' && item_size == 1; }
  /// The elements, rounded to floats.
  std::vector<float> floats() const;
  /// The elements of an integer array; of u8 those above what 63 bits hold are negative.
  std::vector<std::int64_t> integers() const;
  /// Such as "(2, 3)".
  std::string shape_text() const;
  /// Exchanges big and little endian.
  void swap_bytes();
};

/// @throws Error limit_reached that says of an array of so many bytes how large data may be in memory.
[[noreturn]] void throw_too_large(const std::string& name, std::uint64_t bytes, std::uint64_t most);

/// Of an array of such lengths. @throws Error bad_file that names the file where the lengths that are not 0 have a
/// product beyond 63 bits
std::uint64_t bytes_of_shape(const std::string& path, const std::vector<std::int64_t>& shape, int item_size);

}  // namespace troupe
