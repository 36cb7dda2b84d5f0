#include "runtime/printable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "runtime/letter.hpp"

namespace troupe {
namespace {

constexpr std::string_view kMore = "...";

/// Returns whether a character, given as a Unicode code point, is visible or an ordinary space, and does not change how
/// other text is shown.
bool shows_itself(std::uint32_t letter) {
  struct Hidden {
    std::uint32_t first, last;
  };
  constexpr std::array kHidden{
      Hidden{0x00, 0x1f},       Hidden{0x7f, 0x9f},      // C0, DEL and C1
      Hidden{0xad, 0xad},       Hidden{0x61c, 0x61c},    // soft hyphen; direction marks from here on
      Hidden{0x180e, 0x180e},   Hidden{0x200b, 0x200f},  // zero width
      Hidden{0x2028, 0x202e},   Hidden{0x2060, 0x206f},  // line ends, direction overrides and isolates
      Hidden{0xfeff, 0xfeff},   Hidden{0xfff9, 0xfffb},  // byte order mark, annotations
      Hidden{0xe0000, 0xe0fff},                          // tags
  };
  return std::none_of(kHidden.begin(), kHidden.end(),
                      [letter](const Hidden& range) { return letter >= range.first && letter <= range.last; });
}

bool is_space(char c) { return c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const bool as_it_is = letter.well_formed && shows_itself(letter.number);
    const std::string_view next = as_it_is ? text.substr(0, letter.bytes) : is_space(text[0]) ? " " : "?";
    if (shown.size() + next.size() > most) return shown.append(kMore);
    shown += next;
    text.remove_prefix(letter.bytes);
  }
  return shown;
}

bool is_printable(std::string_view text, std::size_t most) { return printable(text, most) == text; }

std::string fixed_text(double number, int digits) {
  std::array<char, 400> text{};
  char* const end = text.data() + text.size();
  return {text.data(), std::to_chars(text.data(), end, number, std::chars_format::fixed, digits).ptr};
}

std::string short_text(double number, int digits) {
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  return {text.data(), std::to_chars(text.data(), end, number, std::chars_format::general, digits).ptr};
}

}  // namespace troupe
