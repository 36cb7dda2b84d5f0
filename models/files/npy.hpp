#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/files/number_array.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// Reads a .npy file of format 1, 2 or 3 with integers, floats (f2, f4, f8) or bool of either endian, in C order.
/// @throws Error bad_file for a file that is missing, of another type or order, or whose length is not what its
/// header says.
NumberArray read_npy(const std::string& path);
/// The same for a file's bytes, which errors call `name`.
NumberArray parse_npy(const std::string& name, std::span<const std::byte> bytes);
/// Takes the bytes, so that they are never in memory twice.
NumberArray take_npy(const std::string& name, std::vector<std::uint8_t> bytes);
/// How long a file is as its header says. @param start of the file, all or at least 128 KB. @throws Error bad_file
std::uint64_t npy_file_size(const std::string& name, std::span<const std::uint8_t> start);

/// What a .npy file holds, and where.
struct NpyLayout {
  NumberArray array;        ///< without bytes
  std::uint64_t begin = 0;  ///< of the elements
  bool big_endian = false;
};

/// A .npy file that is read by rows, which are what its first length counts. By several threads at once.
class NpyFile {
 public:
  /// @throws Error as read_npy; bad_file for a single number
  explicit NpyFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  /// Without bytes.
  const NumberArray& array() const { return layout_.array; }
  std::uint64_t bytes() const { return file_.size() - layout_.begin; }
  /// @throws Error bad_file when the file has changed since it was opened, or cannot be read.
  NumberArray rows(std::int64_t first, std::int64_t count) const;

 private:
  InputFile file_;
  NpyLayout layout_;
  std::int64_t row_bytes_ = 0;
};

/// Writes floats as a .npy file of format 1, row-major. It appears whole or not at all.
/// @param shape whose product is the number of floats. @throws Error bad_file
void write_npy(const std::string& path, const std::vector<std::int64_t>& shape, std::span<const float> floats);

}  // namespace troupe
