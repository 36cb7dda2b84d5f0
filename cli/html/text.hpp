#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::cli {

/// Escapes an untrusted text for one line of a page, so that no part of it is taken for markup. A text longer than
/// `most` bytes is cut at the end first.
std::string escaped(std::string_view text, std::size_t most = 200);

/// Returns a number as text, such as "0.01235", "15,000" or "1.5e+12"; a dash if the number is infinite or NaN.
std::string short_number(double number);
/// Returns the text for a tick of an axis, such as "0.25" or "20k". It has enough digits to distinguish ticks whose
/// distance is `step`.
std::string tick_text(double number, double step);
/// Returns a count with commas between groups of digits, such as "60,000".
std::string grouped(std::int64_t count);
/// Returns a coordinate of a drawing as text, such as "12.3".
std::string place(double at);

/// Shortens a UTF-8 text to at most `letters` characters: an ellipsis replaces the middle. About a third of the
/// characters are kept at the end, because names often differ there.
std::string shortened(std::string_view text, std::size_t letters);

/// Returns about `about` numbers, in equal distances, that cover the range from `least` to `most`. The distance is 1, 2
/// or 5 times a power of ten.
std::vector<double> round_ticks(double least, double most, int about);

}  // namespace troupe::cli
