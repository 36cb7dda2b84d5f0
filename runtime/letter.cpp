#include "runtime/letter.hpp"

#include <algorithm>
#include <array>

namespace troupe {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

}  // namespace

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

bool is_utf8(std::string_view text) {
  if (std::ranges::none_of(text, [](char c) { return static_cast<signed char>(c) < 0; })) return true;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (!letter.well_formed) return false;
    text.remove_prefix(letter.bytes);
  }
  return true;
}

}  // namespace troupe
