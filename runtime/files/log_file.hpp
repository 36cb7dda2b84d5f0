#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file to which one run appends records. Only one run may write it at a time. All members throw Error bad_file.
class LogFile {
 public:
  /// Returns how many bytes of a log are whole records. @throws Error bad_file if the text is not such a log
  using MeasureWhole = std::function<std::size_t(const std::string& text)>;

  /// @param goes_on whether to append after the last whole record; otherwise an existing file is emptied. A pipe, a
  /// device and the file behind standard output or standard error are always appended to.
  /// @throws Error in_use if another run writes the file; bad_file for a pipe without a reader
  LogFile(const std::string& path, bool goes_on, const MeasureWhole& whole);

  /// Appends a record. The record is with the system when this returns, so it survives the end of the process. If a
  /// file cannot take the whole record, it is left without any part of it.
  void write(std::string_view record);

  /// Closes the file; nothing may be written afterwards.
  void close() {
    lock_.release();
    file_.close();
  }

  /// Empties the file; has no effect on a pipe or device.
  void begin_anew();

  /// Returns whether `replace` may be called: this is a regular file, and still at its path.
  bool is_replaceable() const;
  std::string text() const;
  /// Replaces the content of the file atomically.
  void replace(std::string_view text);

 private:
  WrittenFile open();

  std::string path_;
  std::string place_;  ///< path of the file itself, with links resolved
  /// Device and inode number of the file; none for a pipe, a device or the process's output.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_;
  WrittenFile file_;
  LockBeside lock_;
};

}  // namespace troupe
