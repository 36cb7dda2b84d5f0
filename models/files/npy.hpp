#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/files/number_array.hpp"
#include "runtime/files/byte_source.hpp"

namespace troupe {

/// Reads a .npy file of format 1, 2 or 3 in C order, with integers, floats (f2, f4, f8) or bool, of either endianness.
/// @throws Error bad_file if the file is missing, has another type of elements or another order, or does not have the
/// length that its header declares.
NumberArray read_npy(const std::string& path);
NumberArray read_npy(const ByteSource& file);
/// Returns the array in `bytes`, the content of a whole .npy file. Accepts the same formats as read_npy.
/// @param name the name of the file, for error messages
/// @throws Error as read_npy
NumberArray parse_npy(const std::string& name, std::span<const std::byte> bytes);
/// Does the same as parse_npy, but reuses the memory of `bytes` for the elements, so that they are never in memory
/// twice.
NumberArray take_npy(const std::string& name, std::vector<std::uint8_t> bytes);
/// Returns the length in bytes that a .npy file must have according to its header.
/// @param name the name of the file, for error messages
/// @param start the start of the file: all of it, or at least 128 KB
/// @throws Error bad_file if the header is invalid
std::uint64_t npy_file_size(const std::string& name, std::span<const std::uint8_t> start);

/// The layout of a .npy file: the type and shape of its array, and the position of the array's elements.
struct NpyLayout {
  NumberArray array;        ///< type and shape; holds no bytes
  std::uint64_t begin = 0;  ///< offset of the elements in the file
  bool big_endian = false;
};

/// A .npy file whose rows are read on demand. A row is the part of the array with one index of the first dimension.
/// Thread-safe.
class NpyFile {
 public:
  /// Opens the file and reads its header.
  /// @throws Error as read_npy; also bad_file if the array is a single number, which has no rows
  explicit NpyFile(std::shared_ptr<const ByteSource> file);

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const ByteSource>& file() const { return file_; }
  /// Returns the size of a row in bytes.
  std::int64_t row_bytes() const { return row_bytes_; }
  /// Makes `rows` read from this source, which has the same bytes.
  void read_from(std::shared_ptr<const ByteSource> file) { file_ = std::move(file); }
  /// Returns the offset in the file of a row, counted from 0.
  std::uint64_t offset_of(std::int64_t row) const {
    return layout_.begin + static_cast<std::uint64_t>(row * row_bytes_);
  }
  /// Returns the type and the shape of the array. The result contains no elements.
  const NumberArray& array() const { return layout_.array; }
  bool is_big_endian() const { return layout_.big_endian; }
  /// Returns the size in bytes of all elements of the array together.
  std::uint64_t bytes() const { return file_->size() - layout_.begin; }
  /// Reads `count` rows, starting with row `first` (counted from 0), and returns them as an array with `count` rows.
  /// @throws Error bad_file if the file has changed since it was opened or cannot be read.
  NumberArray rows(std::int64_t first, std::int64_t count) const;

 private:
  std::shared_ptr<const ByteSource> file_;
  NpyLayout layout_;
  std::int64_t row_bytes_ = 0;
};

/// Writes floats as an array to a .npy file of format 1 in C order. The file appears complete or not at all.
/// @param shape the shape of the array; the product of its lengths must be the number of floats
/// @throws Error bad_file if the file cannot be written
void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats);

}  // namespace troupe
