#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/byte_source.hpp"

namespace troupe {

/// Throws Error bad_file with the text `message`, and `path` as the error's object.
[[noreturn]] void throw_bad_file(const std::string& path, const std::string& message);
/// Throws Error bad_file with the text "cannot WHAT: REASON", and `path` as the error's object. WHAT is the parameter
/// `what`, a verb such as "open"; REASON is the system's text for `errno`.
[[noreturn]] void throw_cannot(const std::string& what, const std::string& path);

/// The maximum size, in bytes, of a text file with settings, hosts or a run's records. Callers pass it to
/// `InputFile::read_text`.
inline constexpr std::uint64_t kMostText = std::uint64_t{64} << 20;

/// A regular file, open for reading.
class InputFile final : public ByteSource {
 public:
  /// Opens the file. @throws Error bad_file if there is no such file, it may not be read, or it is not a regular file
  explicit InputFile(std::string path);
  InputFile(InputFile&&) noexcept = default;

  const std::string& path() const override { return path_; }
  /// Returns the size in bytes that the file had when it was opened.
  std::uint64_t size() const override { return size_; }
  /// Returns the modification time that the file had when it was opened, in nanoseconds since 1970.
  std::int64_t modified() const override { return modified_; }

  /// Fills `out` with the file's bytes from byte `offset` on. @throws Error bad_file if the file ends before `out` is
  /// full
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  /// Return the whole content of the file, as bytes or as text. @throws Error bad_file
  std::vector<std::byte> read_all() const;
  std::string read_text() const;
  /// Returns the whole content of the file. @throws Error bad_file if the file has more than `most` bytes
  std::string read_text(std::uint64_t most) const;
  /// Checks that the file has not changed since this object opened it.
  /// @throws Error bad_file if the size or the modification time differs
  void check_unchanged() const override;

 private:
  std::string path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::int64_t modified_ = 0;
};

}  // namespace troupe
