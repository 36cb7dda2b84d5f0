#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file that appears under its name whole, by `commit`, or not at all. Until then it lies beside it under a
/// temporary name.
class OutputFile {
 public:
  /// @throws Error bad_file, as all members do, when the system refuses.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without `commit`, leaves nothing behind.
  ~OutputFile();

  void write(std::span<const std::byte> bytes) { file_->write(bytes); }
  /// It may be read and written by whom the file may be whose place it takes.
  void take_mode();
  /// Brings the file to disk and gives it its name.
  void commit();

 private:
  void create();

  std::string path_;
  std::string temporary_;
  std::optional<WrittenFile> file_;
  bool committed_ = false;
};

}  // namespace troupe
