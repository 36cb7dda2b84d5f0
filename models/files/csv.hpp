#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {

/// Reads the rows of a CSV file in the format of RFC 4180: fields between separators, one row per line. LF, CRLF or the
/// end of the file ends a line. A field in double quotes may contain separators, line ends and doubled quotes.
/// Skips a byte order mark, a first line such as "sep=;", comments that begin with '#' before the first row, and empty
/// lines. There is one exception. If the first row has a single field, a later empty line is a row with an empty field,
/// unless it is the last line.
/// Uses memory for one megabyte or for the longest row, whichever is more.
class CsvReader {
 public:
  /// Opens a file for reading all of its rows in order.
  /// @param separator 0: the most frequent of , ; tab and | in the first row, outside quotes
  /// @throws Error bad_file like InputFile
  explicit CsvReader(const std::string& path, char separator = 0);
  /// Opens a file for reading rows at given offsets; see `seek`.
  /// @param separator must not be 0
  /// @param piece number of bytes to read at a time
  CsvReader(std::shared_ptr<const InputFile> file, char separator, std::size_t piece);

  char separator() const { return separator_; }
  /// Moves to the next row. Returns false after the last row.
  /// @throws Error bad_file that names the line: for a misplaced or unclosed quote, a carriage return without a line
  /// feed, a row of more than 16 MB or 100,000 fields, or a file that has become shorter.
  bool next();

  /// Makes `next` continue with the row that begins at this byte, even if the row is an empty line. Line numbers start
  /// at 1 there.
  void seek(std::uint64_t offset);

  /// Returns the number of fields of the current row.
  std::size_t size() const { return fields_.size(); }
  /// Returns a field of the current row without its quotes; valid until the next row.
  std::string_view field(std::size_t index) const { return fields_[index]; }
  /// Returns the number, from 1, of the line in which the current row begins.
  std::int64_t line() const { return line_; }
  /// Returns the offset of the first byte of the current row in the file.
  std::uint64_t offset() const { return offset_; }

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const InputFile>& file() const { return file_; }
  /// Rejects the current row.
  /// @throws Error bad_file with `message`, the file and the line
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  void skip_preface(std::string_view text);
  bool refill();
  bool is_empty_field() const;
  bool cut_row();
  const char* cut_quoted(const char* at, std::size_t& unquoted);
  const char* end() const { return buffer_.data() + filled_; }

  std::shared_ptr<const InputFile> file_;
  char separator_;
  std::size_t piece_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< bytes in the buffer
  std::size_t next_ = 0;    ///< start of the next row in the buffer
  std::uint64_t read_ = 0;  ///< bytes of the file read so far
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::uint64_t offset_ = 0;
  bool had_row_ = false;
  bool one_column_ = false;  ///< whether an empty line is a row with one empty field
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< contents of fields with doubled quotes, which are halved here
};

/// Returns the number that `text` contains. It must be finite, with a decimal point and without thousands separators,
/// independent of the locale. Surrounding blanks are ignored. Returns nothing for other text, and for numbers that are
/// too large for a float. Numbers that are too small become 0.
std::optional<float> csv_number(std::string_view text);

/// Returns whether a text that csv_number rejects is probably meant as a number. Such a text has a decimal comma, is
/// infinite, is too large for a float, or contains a zero byte.
bool is_meant_as_number(std::string_view text);

/// Returns the name of the class in a field. For a whole number such as "1.0" it is the number without decimals, "1".
/// Otherwise it is the field itself.
std::string_view class_of(std::string_view field);

}  // namespace troupe
