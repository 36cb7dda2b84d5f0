#include "models/files/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
/// The number of bytes that are read first of a file on a server.
constexpr std::uint64_t kFirstPiece = std::uint64_t{64} << 10;
constexpr std::size_t kLongestRow = std::size_t{16} << 20;
constexpr std::size_t kMostFields = 100'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the separator (one of , ; tab and |) that is most frequent in the first row of `text`, outside quotes.
/// @param text the start of the file; it may end within the first row
char most_frequent_separator(std::string_view text) {
  constexpr std::string_view kSeparators = ",;\t|";
  std::array<std::size_t, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char letter : text) {
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == '\n') break;
    if (const auto which = kSeparators.find(letter); which != std::string_view::npos) ++counts[which];
  }
  return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

/// Returns the first line of a text, without its line end.
std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (text.size() > 3 && text[0] != '\0' && text[1] == '\0' && text[2] != '\0' && text[3] == '\0');
}

/// Returns the number of fields of a line. A separator in quotes does not end a field.
std::int64_t count_fields(std::string_view line, char separator) {
  std::int64_t fields = 1;
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') quoted = !quoted;
    if (letter == separator && !quoted) ++fields;
  }
  return fields;
}

/// Returns the number of bytes at the start of `text` that are comments. Comments are the lines before the first line
/// without '#' at its beginning. However, a line with '#' is the header of the table if it has more than one field, and
/// as many fields as the first line without '#'. The comments then end before the header.
std::size_t comments_before(std::string_view text, char separator) {
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  while (text.substr(at).starts_with('#')) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) return 0;
    begins.push_back(at);
    at = line_end + 1;
  }
  if (begins.empty() || at == text.size()) return 0;
  const std::string_view row = first_line(text.substr(at));
  if (separator == 0) separator = most_frequent_separator(row);
  const std::int64_t fields = count_fields(row, separator);
  const auto header = std::ranges::find_if(begins, [&](std::size_t begin) {
    return fields > 1 && count_fields(first_line(text.substr(begin)), separator) == fields;
  });
  return header == begins.end() ? at : *header;
}

/// Returns true if `number`, which a double cannot represent, is too close to zero; returns false if it is too large.
bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  return number.starts_with("0.") || number.starts_with("-0.") || number.starts_with(".");
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

/// Returns the text without surrounding blanks and without a leading plus. Does not remove a plus that a minus follows,
/// so that "+-1" is not read as the number -1.
std::string_view bare_number(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

/// Returns whether `text`, which csv_number has rejected, is a number that a finite float cannot represent: it is
/// infinite, NaN or too large for a float.
bool is_out_of_range(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ptr == end && read.ec != std::errc::invalid_argument;
}

/// Returns whether the text is a number with a decimal comma, such as 1,5.
bool has_decimal_comma(std::string_view text) {
  std::string with_point(text);
  const std::size_t comma = with_point.find(',');
  const bool has_digit = comma != std::string::npos && comma + 1 < text.size() &&
                         std::string_view("0123456789").find(text[comma + 1]) != std::string_view::npos;
  if (!has_digit || text.find('.') != std::string_view::npos) return false;
  with_point[comma] = '.';
  return csv_number(with_point).has_value();
}

}  // namespace

CsvReader::CsvReader(std::shared_ptr<const ByteSource> file, char separator, std::size_t piece)
    : file_(std::move(file)), separator_(separator), piece_(piece), buffer_(piece) {}

CsvReader::CsvReader(const std::string& path, char separator)
    : CsvReader(std::make_shared<const InputFile>(path), separator) {}

CsvReader::CsvReader(std::shared_ptr<const ByteSource> file, char separator)
    : CsvReader(std::move(file), separator, kPiece) {
  refill();
  std::string_view text(buffer_.data(), filled_);
  if (is_utf16(text)) throw_bad_file(path(), "the file is UTF-16; save it as UTF-8");
  if (text.starts_with(kByteOrderMark)) next_ = kByteOrderMark.size();
  skip_preface(text);
  if (separator_ == 0) separator_ = most_frequent_separator(text.substr(next_));
}

/// Skips the lines before the table: a first line such as "sep=;", which spreadsheets write, and comments. If the
/// separator is not known yet, uses that of the first line.
/// @param text the bytes in the buffer, which are the start of the file
void CsvReader::skip_preface(std::string_view text) {
  const std::string_view first = first_line(text.substr(next_));
  const auto skip_to = [&](std::size_t end) {
    next_line_ += std::count(text.begin() + static_cast<std::ptrdiff_t>(next_),
                             text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    next_ = end;
  };
  if (first.size() == 5 && first.starts_with("sep=") && text.find('\n') != std::string_view::npos) {
    if (separator_ == 0) separator_ = first.back();
    skip_to(text.find('\n') + 1);
  }
  skip_to(next_ + comments_before(text.substr(next_), separator_));
}

void CsvReader::refuse(const std::string& message) const {
  throw_bad_file(file_->path(), "line " + std::to_string(line_) + ": " + message);
}

/// Reads more bytes of the file into the buffer. Keeps the bytes from `next_` on, and appends the new bytes to them.
/// Returns false if the buffer already contains the end of the file.
bool CsvReader::refill() {
  const std::uint64_t left = file_->size() - read_;
  if (left == 0) return false;
  if (next_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
    filled_ -= std::exchange(next_, 0);
  }
  if (filled_ >= kLongestRow) refuse("the row is longer than 16 MB; is a closing quote missing?");
  if (buffer_.size() - filled_ < piece_ / 2) buffer_.resize(2 * buffer_.size());
  const bool reads_all = piece_ == kPiece;
  const bool begins = reads_all && read_ == 0;  // perhaps the caller needs only the beginning of the file
  const bool crosses = !reads_all && filled_ > 0 && file_->block_end(read_ - 1) == read_;  // the end of a row
  const std::uint64_t most = begins && file_->block_size() > 0 ? kFirstPiece : buffer_.size() - filled_;
  const auto count = static_cast<std::size_t>(std::min({left, most, file_->block_end(read_) - read_}));
  const auto bytes = std::as_writable_bytes(std::span(buffer_.data() + filled_, count));
  begins || crosses ? file_->read_once(read_, bytes) : file_->read(read_, bytes);
  filled_ += count;
  read_ += count;
  if (reads_all && !begins) file_->prefetch(read_, file_->block_size());
  return true;
}

void CsvReader::seek(std::uint64_t offset) {
  read_ = std::min(offset, file_->size());
  filled_ = next_ = 0;
  next_line_ = 1;
  one_column_ = true;  // accepts empty lines as rows: callers seek to an empty line only in files with one column
}

bool CsvReader::next() {
  do {
    line_ = next_line_;
    while (!cut_row())
      if (!refill()) return false;
  } while (fields_.size() == 1 && fields_.front().empty() && !is_empty_field());
  if (!one_column_) one_column_ = fields_.size() == 1 && !had_row_;
  had_row_ = true;
  return true;
}

/// Decides whether the current row, which consists of one empty field, is a row of the table. Returns true if the table
/// has one column and the row is not an empty last line. Otherwise the row is an empty line, which must be skipped.
bool CsvReader::is_empty_field() const {
  const bool quoted = buffer_[static_cast<std::size_t>(offset_ - (read_ - filled_))] == '"';
  const bool last_line = next_ == filled_ && read_ == file_->size();
  return one_column_ && (quoted || !last_line);
}

/// Divides the row that begins at `next_` into fields, and sets `next_` to the position after the row. Returns false if
/// the row does not end within the buffer.
bool CsvReader::cut_row() {
  const bool last = read_ == file_->size();
  const char* const begin = buffer_.data() + next_;
  const char* at = begin;
  if (at == end()) return false;
  fields_.clear();
  next_line_ = line_;
  for (std::size_t unquoted = 0;;) {
    if (at != end() && *at == '"') {
      at = cut_quoted(at, unquoted);
    } else {
      const char* const field = at;
      while (at != end() && *at != separator_ && *at != '\n') {
        if (*at == '"')
          refuse("a quote inside an unquoted field; put the whole field in quotes and double the quotes inside");
        if (*at == '\r' && at + 1 != end() && at[1] != '\n')
          refuse("a carriage return without a line feed; lines must end with LF or CRLF");
        ++at;
      }
      const bool carriage_return = (at == end() || *at == '\n') && at != field && at[-1] == '\r';
      fields_.emplace_back(field, static_cast<std::size_t>(at - field) - (carriage_return ? 1 : 0));
    }
    if (fields_.size() > kMostFields) refuse("the row has more than " + std::to_string(kMostFields) + " fields");
    if (at == nullptr || (at == end() && !last)) return false;
    if (at == end() || *at == '\n') break;
    ++at;  // the separator
  }
  offset_ = read_ - filled_ + next_;
  next_ = static_cast<std::size_t>(at - buffer_.data()) + (at == end() ? 0 : 1);
  next_line_ += at == end() ? 0 : 1;
  return true;
}

/// Appends the quoted field that begins at `at` to `fields_`. Returns the position after the field, or null if the
/// field does not end within the buffer.
/// @param unquoted the number of elements of `unquoted_` that the current row uses; increased if the field contains
/// doubled quotes
const char* CsvReader::cut_quoted(const char* at, std::size_t& unquoted) {
  const bool last = read_ == file_->size();
  const char* const field = ++at;
  std::string* text = nullptr;
  for (const char* piece = field;;) {
    const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end() - at)));
    if (quote == nullptr && last) refuse("the closing quote of a field is missing");
    if (quote == nullptr || (quote + 1 == end() && !last)) return nullptr;
    next_line_ += std::count(at, quote, '\n');
    at = quote + 1;
    const bool doubled = at != end() && *at == '"';
    if (doubled && text == nullptr) {
      if (unquoted == unquoted_.size()) unquoted_.emplace_back();
      text = &unquoted_[unquoted++];
      text->clear();
    }
    if (text != nullptr) text->append(piece, doubled ? at : quote);
    if (doubled) {
      piece = ++at;
      continue;
    }
    fields_.push_back(text != nullptr ? std::string_view(*text)
                                      : std::string_view(field, static_cast<std::size_t>(quote - field)));
    if (at != end() && *at == '\r' && (at + 1 == end() || at[1] == '\n')) ++at;
    if (at != end() && *at != separator_ && *at != '\n') refuse("text after the closing quote of a field");
    return at;
  }
}

std::optional<float> csv_number(std::string_view text) {
  text = bare_number(text);
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {  // the number is too large, or too close to zero for a float
    double wide = 0;
    const bool held = std::from_chars(text.data(), text.data() + text.size(), wide).ec == std::errc{};
    if (held ? std::abs(wide) < 1 : is_tiny(text)) return static_cast<float>(held ? wide : 0.0);
    return std::nullopt;
  }
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_meant_as_number(std::string_view text) {
  std::string without_nul(text);
  if (std::erase(without_nul, '\0') > 0 && csv_number(without_nul)) return true;
  text = bare_number(text);
  return is_out_of_range(text) || has_decimal_comma(text);
}

std::string_view class_of(std::string_view field) {
  const std::size_t point = field.find('.');
  if (point == 0 || point == std::string_view::npos || point + 1 == field.size()) return field;
  const std::string_view whole = field.substr(0, point);
  const auto digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const bool same = digits(whole.starts_with('-') ? whole.substr(1) : whole) &&
                    field.find_first_not_of('0', point + 1) == std::string_view::npos;
  return same ? whole : field;
}

}  // namespace troupe
