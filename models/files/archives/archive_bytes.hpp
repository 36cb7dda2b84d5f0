#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/byte_source.hpp"

namespace troupe {

/// The maximum size in bytes of the decompressed content of an archive that must be held in memory.
inline constexpr std::uint64_t kMostBytesOfPart = std::uint64_t{256} << 20;

/// The uncompressed content of an archive, in a file, on a server or in memory.
class ArchiveBytes {
 public:
  explicit ArchiveBytes(std::shared_ptr<const ByteSource> source)
      : path_(source->path()), size_(source->size()), source_(std::move(source)) {}
  /// @param path the name of the archive, for error messages
  /// @param content the uncompressed content
  ArchiveBytes(std::string path, std::vector<std::byte> content)
      : path_(std::move(path)), size_(content.size()), content_(std::move(content)) {}
  /// Makes an object that has a stretch of the content in memory.
  /// @param size the size of the whole content
  /// @param offset where the stretch begins
  ArchiveBytes(std::string path, std::uint64_t size, std::uint64_t offset, std::vector<std::byte> stretch)
      : path_(std::move(path)), size_(size), content_(std::move(stretch)), offset_(offset) {}

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Fills `out` with the bytes of the content that start at byte `offset`.
  /// @throws Error bad_file if the content ends before `out` is full
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  std::uint64_t size_;
  std::shared_ptr<const ByteSource> source_;  ///< null: the content is in memory
  std::vector<std::byte> content_;
  std::uint64_t offset_ = 0;  ///< of the first byte in memory
};

/// Returns whether the file is compressed by gzip or zstd. A compressed file can be read only as a whole.
bool is_compressed(const ByteSource& file);

/// Return the whole content of a file (`read_decompressed`) or the whole output of a shell command (`read_command`). If
/// the content or output is compressed by gzip or zstd, the functions decompress it.
/// @param most the maximum number of bytes, both before and after decompression
/// @throws Error bad_file if the content is empty or damaged, or the command fails; limit_reached if the content
/// exceeds `most` bytes. Reading stops soon after the limit
std::vector<std::byte> read_decompressed(const ByteSource& file, std::uint64_t most = kMostBytesOfPart);
std::vector<std::byte> read_command(const std::string& command, std::uint64_t most = kMostBytesOfPart);

}  // namespace troupe
