#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A new file, which appears at its path atomically when `commit` is called. Until then, `write` appends to a temporary
/// file in the same folder. If `commit` is not called, the path does not change.
class OutputFile {
 public:
  /// Creates the temporary file. All member functions throw Error bad_file if a system call fails.
  /// @param path the path of the new file
  /// @throws Error bad_file
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file if `commit` was not called.
  ~OutputFile();

  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  /// Copies the permissions of the existing file at the path to the new file, which will replace the existing file.
  void take_mode();
  /// Flushes the temporary file to disk, and renames it to the path of this object. Replaces an existing file at this
  /// path.
  void commit();

 private:
  void create();

  std::string path_;
  std::string temporary_;
  std::optional<WrittenFile> file_;
  bool committed_ = false;
};

}  // namespace troupe
