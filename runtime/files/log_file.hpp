#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file to which a run adds, record by record, alone. All throw Error bad_file.
class LogFile {
 public:
  /// How many bytes of what a log holds are whole records. @throws Error bad_file for what is no such log
  using MeasureWhole = std::function<std::size_t(const std::string& text)>;

  /// @param goes_on behind its last whole record; else it begins anew. To a pipe, a device, and what standard output or
  /// standard error goes to, is added. @throws Error in_use, too, where another run writes it; bad_file for a pipe that
  /// nobody reads
  LogFile(const std::string& path, bool goes_on, const MeasureWhole& whole);

  /// It is with the system when this returns, whoever ends the process then. What a file cannot take whole it does not
  /// hold.
  void write(std::string_view record);

  /// Nothing is written after it.
  void close() {
    lock_.release();
    file_.close();
  }

  /// Empties the file, unless it is a pipe and the like.
  void begin_anew();

  /// Whether `replace` can be called: it is a file, and still in its place.
  bool is_replaceable() const;
  std::string text() const;
  /// Its content becomes this, whole or not at all.
  void replace(std::string_view text);

 private:
  WrittenFile open();

  std::string path_;
  std::string place_;  ///< of the file itself, which links may lead to
  /// Which file it is, by its device and its number there; none where it is none of its own.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_;
  WrittenFile file_;
  LockBeside lock_;
};

}  // namespace troupe
