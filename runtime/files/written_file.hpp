#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// A new file that is written from its start to its end. What the system refuses, it throws as Error bad_file.
class WrittenFile {
 public:
  /// @param path what errors name
  WrittenFile(FileDescriptor file, std::string path);

  void write(std::span<const std::byte> bytes);
  /// Brings to disk what was written.
  void sync();

 private:
  FileDescriptor file_;
  std::string path_;
};

/// Brings the names in the folder around `path` to disk. @throws Error bad_file
void sync_folder_of(const std::string& path);

}  // namespace troupe
