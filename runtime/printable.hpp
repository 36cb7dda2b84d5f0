#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

inline constexpr std::size_t kLongestPeerText = 2000;

/// A text that came from elsewhere as a terminal or a log may show it: one line, whose letters, of any language, are as
/// they were. Ends of lines become spaces; what controls a terminal, turns the direction of writing, shows nothing or
/// is no UTF-8 becomes '?'. Of more than `most` bytes the end is left out.
std::string printable(std::string_view text, std::size_t most = kLongestPeerText);

/// Whether `printable` would leave it as it is.
bool is_printable(std::string_view text, std::size_t most = kLongestPeerText);

/// A number with a point, whatever the locale: `digits` behind it ("%.*f" of the C locale).
std::string fixed_text(double number, int digits);
/// The same with so many significant digits ("%.*g" of the C locale).
std::string short_text(double number, int digits);

}  // namespace troupe
