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
/// A byte order mark, a first line such as "sep=;", comments that begin with '#' before the first row, and empty lines
/// are skipped. Exception: if the first row has one field, a later empty line is a row with an empty field, unless it
/// is the last line.
/// Needs memory for one megabyte or the longest row.
class CsvReader {
 public:
  /// @param separator 0: the most frequent of , ; tab and | in the first row, outside quotes
  /// @throws Error bad_file like InputFile
  explicit CsvReader(const std::string& path, char separator = 0);
  /// For rows at various places of a file. @param separator must not be 0 @param piece the number of bytes to read at a
  /// time
  CsvReader(std::shared_ptr<const InputFile> file, char separator, std::size_t piece);

  char separator() const { return separator_; }
  /// Moves to the next row. Returns false after the last row.
  /// @throws Error bad_file that names the line: for a misplaced or unclosed quote, a carriage return without a line
  /// feed, a row of more than 16 MB or 100,000 fields, or a file that has become shorter.
  bool next();

  /// Makes the row that begins at this byte the next row, even if it is an empty line. Line numbers restart there.
  void seek(std::uint64_t offset);

  /// The number of fields of the current row.
  std::size_t size() const { return fields_.size(); }
  /// A field without its quotes; valid until the next row.
  std::string_view field(std::size_t index) const { return fields_[index]; }
  /// The number, from 1, of the line in which the row begins.
  std::int64_t line() const { return line_; }
  /// The offset in the file of the row's first byte.
  std::uint64_t offset() const { return offset_; }

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const InputFile>& file() const { return file_; }
  /// @throws Error bad_file that names the file and the line
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
  bool one_column_ = false;  ///< whether empty lines are rows
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< fields with doubled quotes, after removing the second quotes
};

/// Parses a finite number with a decimal point and without thousands separators, independent of the locale. Ignores
/// surrounding blanks. Returns nothing for other text and for numbers outside the range of float.
std::optional<float> csv_number(std::string_view text);

/// True if a text that csv_number rejects is probably meant as a number: it has a decimal comma, is infinite, too large
/// for a float, or contains a zero byte.
bool is_meant_as_number(std::string_view text);

/// Returns the class that a field names: "1" for "1.0", otherwise the field itself.
std::string_view class_of(std::string_view field);

}  // namespace troupe
