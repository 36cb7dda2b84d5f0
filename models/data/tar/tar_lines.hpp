#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe {

/// Returns the text for a field of a line: replaces tabs, line feeds, other control characters and percent signs.
std::string escaped(std::string_view text);

/// Removes the first line of `text`, and returns it without the line feed.
std::string_view take_line(std::string_view& text);

/// Reads the fields of a line, which tabs separate, one after the other. After the last field, `all_good` returns
/// whether all fields were valid and the line contained no further fields.
class LineFields {
 public:
  explicit LineFields(std::string_view line) : rest_(line) {}

  template <class T>
  void number(T& to) {
    const std::string_view field = next();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), to);
    good_ = good_ && error == std::errc{} && end == field.data() + field.size();
  }
  /// Reads a field that `escaped` has made.
  void text(std::string& to);
  bool all_good() const { return good_ && ended_; }

 private:
  std::string_view next() {
    good_ = good_ && !ended_;
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return field;
  }

  std::string_view rest_;
  bool good_ = true;
  bool ended_ = false;
};

}  // namespace troupe
