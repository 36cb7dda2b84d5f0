#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file to which one run appends records. While the file is open in one run, another run cannot open it. All member
/// functions may throw Error bad_file.
class LogFile {
 public:
  /// A function that returns how many bytes at the start of `text`, the content of a log file, are complete records.
  /// The remaining bytes are an incomplete record, which a killed process has left.
  /// @throws Error bad_file if the text is not a log of the expected kind
  using MeasureWhole = std::function<std::size_t(const std::string& text)>;

  /// Opens the file, or creates it.
  /// @param goes_on true: keep the complete records of an existing file, and append; false: delete the content of an
  /// existing file. For a pipe, a device, and a file that is this process's standard output or standard error, the
  /// parameter has no effect: the constructor changes no content.
  /// @param whole measures the complete records; called only if `goes_on` is true and the file is not empty
  /// @throws Error in_use if another run has the file open; bad_file for a pipe without a reader
  LogFile(const std::string& path, bool goes_on, const MeasureWhole& whole);

  /// Appends a record. When this returns, the kernel has the record, so the record survives a crash of this process. If
  /// only a part of the record can be written, for example because the disk is full, throws Error bad_file. In that
  /// case, a regular file is first truncated to its length before the call.
  void write(std::string_view record);

  /// Releases the lock and closes the file. `write` must not be called afterwards.
  void close() {
    lock_.release();
    file_.close();
  }

  /// Deletes the content of the file. Has no effect on a pipe, a device, or a file that is this process's standard
  /// output or standard error.
  void begin_anew();

  /// Returns whether `replace` may be called. `replace` may be called if the path still leads to the file that was
  /// opened, and this is a regular file. It must not be called if the file is this process's standard output or
  /// standard error.
  bool is_replaceable() const;
  /// Returns the content of the file.
  std::string text() const;
  /// Replaces the content of the file atomically.
  void replace(std::string_view text);

 private:
  WrittenFile open();

  std::string path_;
  std::string place_;  ///< absolute path of the file, with symbolic links resolved
  /// Device and inode number of the file; none for a pipe, a device, or a file that is this process's standard output
  /// or standard error.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_;
  WrittenFile file_;
  LockBeside lock_;
};

}  // namespace troupe
