#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/files/number_array.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// Reads a .npy file of format 1, 2 or 3 in C order, with integers, floats (f2, f4, f8) or bool, of either endianness.
/// @throws Error bad_file for a file that is missing, of another type or order, or whose length does not match its
/// header.
NumberArray read_npy(const std::string& path);
/// Like read_npy, for a file's bytes. Errors name the file `name`.
NumberArray parse_npy(const std::string& name, std::span<const std::byte> bytes);
/// Like parse_npy. Takes ownership of the bytes, so that they are never in memory twice.
NumberArray take_npy(const std::string& name, std::vector<std::uint8_t> bytes);
/// Returns the length of a file according to its header.
/// @param start the start of the file: all of it, or at least 128 KB. @throws Error bad_file
std::uint64_t npy_file_size(const std::string& name, std::span<const std::uint8_t> start);

/// The contents of a .npy file and their position.
struct NpyLayout {
  NumberArray array;        ///< type and shape; holds no bytes
  std::uint64_t begin = 0;  ///< offset of the elements in the file
  bool big_endian = false;
};

/// A .npy file that is read row by row; the array's first dimension counts the rows. Thread-safe.
class NpyFile {
 public:
  /// @throws Error like read_npy; bad_file for a single number
  explicit NpyFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  /// Type and shape of the array; holds no bytes.
  const NumberArray& array() const { return layout_.array; }
  std::uint64_t bytes() const { return file_.size() - layout_.begin; }
  /// @throws Error bad_file if the file has changed since it was opened or cannot be read.
  NumberArray rows(std::int64_t first, std::int64_t count) const;

 private:
  InputFile file_;
  NpyLayout layout_;
  std::int64_t row_bytes_ = 0;
};

/// Writes floats as a .npy file of format 1, row-major. The file appears complete or not at all.
/// @param shape its product must be the number of floats. @throws Error bad_file
void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats);

}  // namespace troupe
