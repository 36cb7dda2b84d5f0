#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files/byte_source.hpp"

namespace troupe {

/// Reads the rows of a CSV file in the format of RFC 4180: fields between separators, one row per line. LF, CRLF or the
/// end of the file ends a line. A field in double quotes may contain separators, line ends and doubled quotes. Skips a
/// byte order mark, a first line such as "sep=;", comments (lines before the first row that begin with '#'), and empty
/// lines. There is one exception: if the first row has a single field, later empty lines are rows with an empty field,
/// except an empty last line. The reader needs memory for 1 MB of the file or for its longest row, whichever is more.
class CsvReader {
 public:
  /// Make readers of all rows of a file, in order.
  /// @param separator the character between fields. 0: the first line "sep=X" determines it or, without such a line,
  /// the most frequent of , ; tab and | in the first row, outside quotes
  /// @throws Error bad_file as the constructor of InputFile; also if the file is UTF-16
  explicit CsvReader(const std::string& path, char separator = 0);
  explicit CsvReader(std::shared_ptr<const ByteSource> file, char separator = 0);
  /// Makes a reader that reads single rows of an open file. Callers pass the offset of each row to `seek`.
  /// @param separator must not be 0
  /// @param piece the number of bytes to read from the file at a time
  CsvReader(std::shared_ptr<const ByteSource> file, char separator, std::size_t piece);

  char separator() const { return separator_; }
  /// Moves to the next row. Returns false after the last row.
  /// @throws Error bad_file for a misplaced or unclosed quote, a carriage return without a line feed, or a row of more
  /// than 16 MB or 100,000 fields. The message names the line. Also throws bad_file if the file has become shorter.
  bool next();

  /// Makes `next` continue with the row that begins at byte `offset` of the file. If there is an empty line at
  /// `offset`, `next` returns it as a row with one empty field. The row at `offset` counts as line 1.
  void seek(std::uint64_t offset);

  /// Returns the number of fields of the current row.
  std::size_t size() const { return fields_.size(); }
  /// Returns field number `index`, counted from 0, of the current row, without the quotes around it. The result is
  /// valid until the next call of `next`.
  std::string_view field(std::size_t index) const { return fields_[index]; }
  /// Returns the number, from 1, of the line in which the current row begins.
  std::int64_t line() const { return line_; }
  /// Returns the offset of the first byte of the current row in the file.
  std::uint64_t offset() const { return offset_; }

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const ByteSource>& file() const { return file_; }
  /// Rejects the current row: throws Error bad_file with `message`, the name of the file and the number of the row's
  /// line.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  void skip_preface(std::string_view text);
  bool refill();
  bool is_empty_field() const;
  bool cut_row();
  const char* cut_quoted(const char* at, std::size_t& unquoted);
  const char* end() const { return buffer_.data() + filled_; }

  std::shared_ptr<const ByteSource> file_;
  char separator_;
  std::size_t piece_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< bytes in the buffer
  std::size_t next_ = 0;    ///< start of the next row in the buffer
  std::uint64_t read_ = 0;  ///< offset in the file of the first byte that is not yet in the buffer
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::uint64_t offset_ = 0;
  bool had_row_ = false;
  bool one_column_ = false;  ///< whether an empty line is a row with one empty field
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< contents of fields that contained doubled quotes; one quote replaces each
                                      ///< pair
};

/// Returns the number that `text` contains. Whatever the locale, numbers have a decimal point and no thousands
/// separators. Surrounding blanks are ignored. Returns nothing if `text` is not a number, or the number is NaN,
/// infinite or too large for a float. Numbers that are too close to zero for a float become 0.
std::optional<float> csv_number(std::string_view text);

/// Returns whether `text`, which csv_number has rejected, is probably meant as a number: it has a decimal comma, is
/// infinite or NaN, is too large for a float, or contains a zero byte.
bool is_meant_as_number(std::string_view text);

/// Returns the name of the class that `field` contains. If the field is a whole number with decimals, such as "1.0",
/// the name is the number without decimals, "1". Otherwise the name is the field itself.
std::string_view class_of(std::string_view field);

}  // namespace troupe
