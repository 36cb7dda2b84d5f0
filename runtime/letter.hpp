#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

/// A letter of UTF-8.
struct Letter {
  std::uint32_t number = 0;  ///< Unicode's
  std::size_t bytes = 1;
  bool well_formed = false;
};

/// The first letter of a text that is not empty. What is no UTF-8 is a letter of one byte.
Letter first_letter(std::string_view text);

/// Whether all of a text is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace troupe
