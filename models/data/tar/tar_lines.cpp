#include "models/data/tar/tar_lines.hpp"

#include <optional>
#include <utility>

namespace troupe {
namespace {

constexpr std::string_view kEscapeDigits = "0123456789abcdef";

bool is_escaped(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == '%' || letter == 0x7f; }

std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* const end = text.data() + i + 3;
    if (std::from_chars(text.data() + i + 1, end, byte, 16).ptr != end) return std::nullopt;
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (is_escaped(letter))
      safe += {'%', kEscapeDigits[byte >> 4U], kEscapeDigits[byte & 15U]};
    else
      safe += letter;
  }
  return safe;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void LineFields::text(std::string& to) {
  auto plain = unescaped(next());
  good_ = good_ && plain;
  if (plain) to = std::move(*plain);
}

}  // namespace troupe
