#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// @throws Error bad_file that names the path.
[[noreturn]] void throw_bad_file(const std::string& path, const std::string& message);
/// Throws Error bad_file, "cannot WHAT" and why: what `errno` says.
[[noreturn]] void throw_cannot(const std::string& what, const std::string& path);

/// Of settings and records, which people or programs write: no such text is longer, in bytes.
inline constexpr std::uint64_t kMostText = std::uint64_t{64} << 20;

/// A regular file, open for reading.
class InputFile {
 public:
  /// @throws Error bad_file when there is no such file, it may not be read, or it is not a regular file.
  explicit InputFile(std::string path);

  const std::string& path() const { return path_; }
  /// Bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// When it had last been written by then, in nanoseconds since 1970.
  std::int64_t modified() const { return modified_; }

  /// Fills `out` from byte `offset` on. @throws Error bad_file when the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  std::vector<std::byte> read_all() const;
  std::string read_text() const;
  /// @throws Error bad_file for more than so many bytes
  std::string read_text(std::uint64_t most) const;
  /// @throws Error bad_file when its size or the time of its last change is another than when it was opened.
  void check_unchanged() const;

 private:
  std::string path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::int64_t modified_ = 0;
};

}  // namespace troupe
