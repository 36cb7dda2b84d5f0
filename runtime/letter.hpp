#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

/// A UTF-8 character.
struct Letter {
  std::uint32_t number = 0;  ///< the Unicode code point
  std::size_t bytes = 1;
  bool well_formed = false;
};

/// Returns the first character of a text, which must not be empty. A byte that is not valid UTF-8 counts as a character
/// of one byte.
Letter first_letter(std::string_view text);

/// Returns whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace troupe
