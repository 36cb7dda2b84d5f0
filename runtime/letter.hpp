#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

/// A UTF-8 character.
struct Letter {
  std::uint32_t number = 0;  ///< the Unicode code point; 0 if not well-formed
  std::size_t bytes = 1;     ///< number of bytes of the character in the text
  bool well_formed = false;  ///< whether the bytes are valid UTF-8
};

/// Returns the first character of a text, which must not be empty. If the text does not start with valid UTF-8, returns
/// a character of one byte with `well_formed` false.
Letter first_letter(std::string_view text);

/// Returns whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace troupe
