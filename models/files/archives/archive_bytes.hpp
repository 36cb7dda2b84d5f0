#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {

/// No archive that is held in memory has more content.
inline constexpr std::uint64_t kMostBytesOfPart = std::uint64_t{256} << 20;

/// The content of an archive, as it was before it was compressed: in a file, or in memory.
class ArchiveBytes {
 public:
  explicit ArchiveBytes(InputFile file)
      : path_(file.path()), size_(file.size()), file_(std::make_unique<InputFile>(std::move(file))) {}
  /// @param path what errors name
  ArchiveBytes(std::string path, std::vector<std::byte> content)
      : path_(std::move(path)), size_(content.size()), content_(std::move(content)) {}

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// @throws Error bad_file where they do not reach so far
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  std::uint64_t size_;
  std::unique_ptr<InputFile> file_;  ///< or else
  std::vector<std::byte> content_;
};

/// Whether all of a file has to be read for any of it: whether it is one of gzip or zstd.
bool is_compressed(const InputFile& file);

/// Reads all of a file, or what a command writes, decompressed where it is gzip or zstd.
/// @throws Error bad_file for what is empty or damaged, or a command that fails, limit_reached where it is more than
/// `most` bytes, after reading few more.
std::vector<std::byte> read_decompressed(const InputFile& file, std::uint64_t most = kMostBytesOfPart);
std::vector<std::byte> read_command(const std::string& command, std::uint64_t most = kMostBytesOfPart);

}  // namespace troupe
