#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// A new file that is written from its start to its end. What the system refuses, it throws as Error bad_file.
class WrittenFile {
 public:
  /// @param path what errors name
  WrittenFile(FileDescriptor file, std::string path);

  /// Has the disk begin with what is many bytes, which `sync` then need not wait for.
  void write(std::span<const std::byte> bytes);
  /// All of it, behind what is there, or nothing, where it is a file.
  void write_whole(std::span<const std::byte> bytes);
  /// Leaves the first so many bytes of a file.
  void cut(std::uint64_t bytes);
  /// Brings to disk what was written.
  void sync();
  /// Some file systems tell only then that they could not write.
  void close();
  int descriptor() const { return file_.get(); }

 private:
  FileDescriptor file_;
  std::string path_;
  std::uint64_t written_ = 0;
  std::uint64_t begun_ = 0;  ///< of these, with the disk
};

/// Brings the names in the folder around `path` to disk. @throws Error bad_file
void sync_folder_of(const std::string& path);

}  // namespace troupe
