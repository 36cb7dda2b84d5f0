#include "runtime/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace troupe {
namespace {

constexpr std::string_view kMore = "...";

struct Letter {
  std::uint32_t number = 0;
  std::size_t bytes = 1;
  bool well_formed = false;
};

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

/// The first letter of a text that is not empty. What is no UTF-8 is a letter of one byte.
Letter first_letter(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t number = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80) return {};
    number = number << 6 | (byte_at(text, i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = number >= 0xd800 && number <= 0xdfff;
  if (number < kLeast[bytes] || number > 0x10ffff || surrogate) return {};
  return {number, bytes, true};
}

bool shows_itself(std::uint32_t letter) {
  struct Hidden {
    std::uint32_t first, last;
  };
  constexpr std::array kHidden{
      Hidden{0x00, 0x1f},       Hidden{0x7f, 0x9f},      // C0, DEL and C1
      Hidden{0xad, 0xad},       Hidden{0x61c, 0x61c},    // a soft hyphen; marks of direction from here on
      Hidden{0x180e, 0x180e},   Hidden{0x200b, 0x200f},  // of no width
      Hidden{0x2028, 0x202e},   Hidden{0x2060, 0x206f},  // ends of lines, overrides and isolates of direction
      Hidden{0xfeff, 0xfeff},   Hidden{0xfff9, 0xfffb},  // byte order, annotations
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

}  // namespace troupe
