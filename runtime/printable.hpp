#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// Default maximum length, in bytes, of a text that `printable` does not cut.
inline constexpr std::size_t kLongestPeerText = 2000;

/// Returns a text from outside the program in a form that is safe to show in a terminal or a log: one line of valid
/// UTF-8. Line ends and tabs become spaces. Control characters, marks of writing direction, invisible characters and
/// bytes that are not UTF-8 become '?'. A result of more than `most` bytes is cut after at most `most` bytes, and "..."
/// is appended.
std::string printable(std::string_view text, std::size_t most = kLongestPeerText);

/// Returns whether `printable` leaves the text unchanged.
bool is_printable(std::string_view text, std::size_t most = kLongestPeerText);

/// Formats a number with `digits` decimals, like "%.*f" in the C locale. The decimal separator is a point in every
/// locale.
std::string fixed_text(double number, int digits);
/// Formats a number with `digits` significant digits, like "%.*g" in the C locale. The decimal separator is a point in
/// every locale.
std::string short_text(double number, int digits);

}  // namespace troupe
