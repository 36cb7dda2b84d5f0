#include "models/files/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace troupe {
namespace {

/// A cursor over the text. Members that read return false where something else stands.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool token(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  bool string(std::string& out) {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool& out) {
    out = token("True");
    return out || token("False");
  }

  /// "()", "(3,)", "(3, 4)" and "(3, 4,)", but not "(3)", which is a number.
  bool tuple(std::vector<std::int64_t>& out) {
    if (!token("(")) return false;
    bool comma = true;
    while (!token(")")) {
      std::int64_t value = 0;
      if (!comma || !number(value)) return false;
      out.push_back(value);
      comma = token(",");
    }
    return comma || out.size() > 1;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  bool number(std::int64_t& out) {
    skip_blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc{} || out < 0) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  std::string_view rest_;
};

struct Seen {
  bool descr = false;
  bool order = false;
  bool shape = false;
};

/// One `key: value`, of a key that was not there before.
bool parse_entry(Parser& parser, NpyHeader& header, Seen& seen) {
  std::string key;
  if (!parser.string(key) || !parser.token(":")) return false;
  const auto first = [](bool& flag) { return !std::exchange(flag, true); };
  if (key == "descr") return first(seen.descr) && parser.string(header.descr);
  if (key == "fortran_order") return first(seen.order) && parser.boolean(header.fortran_order);
  if (key == "shape") return first(seen.shape) && parser.tuple(header.shape);
  return false;
}

}  // namespace

std::optional<NpyHeader> parse_npy_header(std::string_view text) {
  Parser parser(text);
  NpyHeader header;
  Seen seen;
  if (!parser.token("{")) return std::nullopt;
  bool comma = true;
  while (!parser.token("}")) {
    if (!comma || !parse_entry(parser, header, seen)) return std::nullopt;
    comma = parser.token(",");
  }
  if (!parser.at_end() || !seen.descr || !seen.order || !seen.shape) return std::nullopt;
  return header;
}

}  // namespace troupe
