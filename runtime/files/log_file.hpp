#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file to which one run appends records. A second run that opens the file at the same time is refused. All members
/// may throw Error bad_file.
class LogFile {
 public:
  /// Returns how many bytes at the start of `text`, the content of a log, are complete records. The rest is an
  /// incomplete record that a killed process has left. @throws Error bad_file if the text is not a log of the expected
  /// kind
  using MeasureWhole = std::function<std::size_t(const std::string& text)>;

  /// Opens the file, or creates it.
  /// @param goes_on true: keep the complete records of an existing file, and append; false: empty an existing file. A
  /// pipe, a device and the file behind standard output or standard error are always appended to.
  /// @param whole finds the end of the last complete record, if `goes_on` is set and the file is not empty
  /// @throws Error in_use if another run writes the file; bad_file for a pipe without a reader
  LogFile(const std::string& path, bool goes_on, const MeasureWhole& whole);

  /// Appends a record. When this returns, the kernel has the record, so the record survives a crash of this process. If
  /// the write fails half-way, for example because the disk is full, a regular file is truncated to its length before
  /// the call.
  void write(std::string_view record);

  /// Releases the lock and closes the file. `write` must not be called afterwards.
  void close() {
    lock_.release();
    file_.close();
  }

  /// Empties the file; has no effect on a pipe or device.
  void begin_anew();

  /// Returns whether `replace` may be called: the file is a regular file, and its path still leads to the file that was
  /// opened.
  bool is_replaceable() const;
  /// Returns the content of the file.
  std::string text() const;
  /// Replaces the content of the file atomically.
  void replace(std::string_view text);

 private:
  WrittenFile open();

  std::string path_;
  std::string place_;  ///< absolute path of the file, with symbolic links resolved
  /// Device and inode number of the file; none for a pipe, a device, or the file behind standard output or error.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_;
  WrittenFile file_;
  LockBeside lock_;
};

}  // namespace troupe
