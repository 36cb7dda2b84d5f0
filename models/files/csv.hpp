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

/// Rows of a CSV file as RFC 4180 has it, one after the other: fields between separators, a row a line, which LF, CRLF
/// or the file's end ends. A field in double quotes may hold separators, line ends and, doubled, quotes. A byte order
/// mark, a line such as "sep=;", comments that begin with '#' before the first row, and empty lines are passed over;
/// but where the first row has one field, an empty line behind it is a row, whose field is empty, unless it is the last
/// line. Takes memory for a megabyte or the longest row.
class CsvReader {
 public:
  /// @param separator 0: that of , ; tab and | which comes most often in the first row, outside quotes
  /// @throws Error bad_file as InputFile does
  explicit CsvReader(const std::string& path, char separator = 0);
  /// Of rows here and there in a file, of which so many bytes are read at a time. @param separator not 0
  CsvReader(std::shared_ptr<const InputFile> file, char separator, std::size_t piece);

  char separator() const { return separator_; }
  /// Goes to the next row; false behind the last.
  /// @throws Error bad_file that names the line: for a quote in the wrong place or without an end, a carriage return
  /// without a line feed, a row of more than 16 MB or 100,000 fields, a file that has become shorter.
  bool next();

  /// Has the row that begins at this byte be the next one, also an empty line; lines are counted from there on.
  void seek(std::uint64_t offset);

  /// Fields of the row.
  std::size_t size() const { return fields_.size(); }
  /// Without its quotes; valid until the next row.
  std::string_view field(std::size_t index) const { return fields_[index]; }
  /// Number of the line in which the row begins, from 1 on.
  std::int64_t line() const { return line_; }
  /// Byte of the file at which it begins.
  std::uint64_t offset() const { return offset_; }

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const InputFile>& file() const { return file_; }
  /// @throws Error bad_file that names file and line
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
  std::size_t next_ = 0;    ///< where in it the next row begins
  std::uint64_t read_ = 0;  ///< bytes of the file that were read into it
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::uint64_t offset_ = 0;
  bool had_row_ = false;
  bool one_column_ = false;  ///< whether empty lines are rows
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< fields with doubled quotes, without these
};

/// The finite number that a text is, with a point and no separators of thousands, whatever the locale; blanks around it
/// do not count. None for any other text, also of a number that no float holds.
std::optional<float> csv_number(std::string_view text);

/// Whether a text that csv_number refuses was meant as a number, as far as can be told: it has a comma for the point,
/// is infinite or too large for a float, or has a zero byte in it.
bool is_meant_as_number(std::string_view text);

/// The class that a field names: "1" for "1.0", else what stands there.
std::string_view class_of(std::string_view field);

}  // namespace troupe
