#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::cli {

/// Escapes an untrusted text for one line of an HTML page, so that no part of the text is interpreted as markup. A text
/// of more than `most` bytes is first cut at the end.
std::string escaped(std::string_view text, std::size_t most = 200);

/// Returns a number as text, such as "0.01235", "15,000" or "1.5e+12"; a dash if the number is infinite or NaN.
std::string short_number(double number);
/// Returns the label of an axis tick at `number`, such as "0.25" or "20k". The label has enough digits to distinguish
/// ticks whose distance is `step`.
std::string tick_text(double number, double step);
/// Returns a count with commas between groups of digits, such as "60,000".
std::string grouped(std::int64_t count);
/// Returns a coordinate of an SVG drawing as text with one decimal, such as "12.3".
std::string place(double at);

/// Shortens a UTF-8 text to at most `letters` characters, by replacing its middle with an ellipsis. About a third of
/// the remaining characters are from the end of the text, because names often differ there.
std::string shortened(std::string_view text, std::size_t letters);

/// Returns about `about` numbers at equal distances, which cover the range from `least` to `most`. The distance is 1, 2
/// or 5 times a power of ten. The numbers are used as ticks of an axis.
std::vector<double> round_ticks(double least, double most, int about);

}  // namespace troupe::cli
