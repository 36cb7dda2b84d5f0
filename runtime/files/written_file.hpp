#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// A file, open for writing, that is written from start to end. All members throw Error bad_file if a system call
/// fails.
class WrittenFile {
 public:
  /// @param file the open file
  /// @param path the name of the file in error messages
  WrittenFile(FileDescriptor file, std::string path);

  /// Writes all bytes at the current position. Each time 16 MiB have been written, asks the kernel to start flushing
  /// them to disk, so that `sync` takes less time.
  void write(std::span<const std::byte> bytes);
  /// Appends all bytes at the end of the file. If that fails, truncates a regular file to its previous length, so that
  /// it contains no incomplete part.
  void write_whole(std::span<const std::byte> bytes);
  /// Truncates the file to its first `bytes` bytes.
  void cut(std::uint64_t bytes);
  /// Flushes written bytes to disk.
  void sync();
  /// Closes the file. Some file systems report write errors only here.
  void close();
  int descriptor() const { return file_.get(); }

 private:
  FileDescriptor file_;
  std::string path_;
  std::uint64_t written_ = 0;  ///< number of bytes written by this object
  std::uint64_t begun_ = 0;    ///< number of written bytes that the kernel was asked to flush
};

/// Flushes the folder that contains `path` to disk, so that a new or renamed file in it survives a power failure.
/// @throws Error bad_file
void sync_folder_of(const std::string& path);

}  // namespace troupe
