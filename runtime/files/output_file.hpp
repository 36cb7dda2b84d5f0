#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file that appears at its path atomically when `commit` is called, or not at all. Before that, the bytes go to a
/// temporary file in the same folder.
class OutputFile {
 public:
  /// Creates the temporary file. @throws Error bad_file, as all members do, if a system call fails
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file if `commit` was not called.
  ~OutputFile();

  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  /// Gives the new file the permissions of the existing file at the path, which `commit` will replace.
  void take_mode();
  /// Flushes the temporary file to disk and renames it to the path.
  void commit();

 private:
  void create();

  std::string path_;
  std::string temporary_;
  std::optional<WrittenFile> file_;
  bool committed_ = false;
};

}  // namespace troupe
