#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// A file, open for writing, whose bytes are written in their order. All member functions throw Error bad_file if a
/// system call fails.
class WrittenFile {
 public:
  /// @param file the open file
  /// @param path the name of the file in error messages
  WrittenFile(FileDescriptor file, std::string path);

  /// Writes all of `bytes` at the current position. After every 16 MiB, the kernel is asked to start flushing the
  /// written bytes to disk, so that a later `sync` takes less time.
  void write(std::span<const std::byte> bytes);
  /// Appends all of `bytes` at the end of the file. If that fails, truncates a regular file to its previous length, so
  /// that the file contains either all of `bytes` or none of them.
  void write_whole(std::span<const std::byte> bytes);
  /// Truncates the file to its first `bytes` bytes.
  void cut(std::uint64_t bytes);
  /// Flushes all written bytes to disk, and returns when they are there (fsync).
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

/// Flushes the folder that contains the file `path` to disk, so that the file's new name survives a power failure.
/// @throws Error bad_file
void sync_folder_of(const std::string& path);

}  // namespace troupe
