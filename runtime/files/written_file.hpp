#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// A new file that is written from start to end. All members throw Error bad_file if a system call fails.
class WrittenFile {
 public:
  /// @param path the name of the file in errors
  WrittenFile(FileDescriptor file, std::string path);

  /// Writes bytes. Starts to write back to disk whenever 16 MiB have been written, so that `sync` waits less.
  void write(std::span<const std::byte> bytes);
  /// Appends all bytes at the end; if that fails, removes the part that was written (files only).
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
  std::uint64_t written_ = 0;
  std::uint64_t begun_ = 0;  ///< number of these bytes for which write-back has begun
};

/// Flushes the entries of the folder that contains `path` to disk. @throws Error bad_file
void sync_folder_of(const std::string& path);

}  // namespace troupe
