#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

/// A UTF-8 character.
struct Letter {
  std::uint32_t number = 0;  ///< the Unicode code point; 0 if not well-formed
  std::size_t bytes = 1;     ///< length in the text
  bool well_formed = false;  ///< whether the bytes are valid UTF-8
};

/// Returns the first character of a text. The text must not be empty. If the text does not start with valid UTF-8, the
/// result is its first byte, marked as not well-formed.
Letter first_letter(std::string_view text);

/// Returns whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace troupe
