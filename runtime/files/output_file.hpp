#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file that appears at its path atomically, by `commit`, or not at all. Until then it has a temporary name in the
/// same folder.
class OutputFile {
 public:
  /// @throws Error bad_file, as all members do, if the system call fails.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file if `commit` was not called.
  ~OutputFile();

  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  /// Sets the permissions of the file that it will replace.
  void take_mode();
  /// Flushes the file to disk and renames it to its path.
  void commit();

 private:
  void create();

  std::string path_;
  std::string temporary_;
  std::optional<WrittenFile> file_;
  bool committed_ = false;
};

}  // namespace troupe
