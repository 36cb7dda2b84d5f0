#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {

/// The maximum size in bytes of the decompressed content of an archive that must be held in memory.
inline constexpr std::uint64_t kMostBytesOfPart = std::uint64_t{256} << 20;

/// The uncompressed content of an archive, in a file or in memory.
class ArchiveBytes {
 public:
  explicit ArchiveBytes(InputFile file)
      : path_(file.path()), size_(file.size()), file_(std::make_unique<InputFile>(std::move(file))) {}
  /// @param path the name of the archive, for error messages
  /// @param content the uncompressed content
  ArchiveBytes(std::string path, std::vector<std::byte> content)
      : path_(std::move(path)), size_(content.size()), content_(std::move(content)) {}

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Fills `out` with the bytes of the content that start at byte `offset`.
  /// @throws Error bad_file if the content ends before `out` is full
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  std::uint64_t size_;
  std::unique_ptr<InputFile> file_;  ///< null: the content is in memory
  std::vector<std::byte> content_;
};

/// Returns whether the file is compressed by gzip or zstd. A compressed file can be read only as a whole.
bool is_compressed(const InputFile& file);

/// Return the whole content of a file (`read_decompressed`) or the whole output of a shell command (`read_command`). If
/// the content or output is compressed by gzip or zstd, the functions decompress it.
/// @param most the maximum number of bytes, both before and after decompression
/// @throws Error bad_file if the content is empty or damaged, or the command fails; limit_reached if the content
/// exceeds `most` bytes. Reading stops soon after the limit
std::vector<std::byte> read_decompressed(const InputFile& file, std::uint64_t most = kMostBytesOfPart);
std::vector<std::byte> read_command(const std::string& command, std::uint64_t most = kMostBytesOfPart);

}  // namespace troupe
