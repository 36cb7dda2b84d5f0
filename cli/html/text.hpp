#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::cli {

/// Escapes an untrusted text for one line of a page, so that no part of it is markup. Texts longer than `most` bytes
/// are cut at the end.
std::string escaped(std::string_view text, std::size_t most = 200);

/// Returns a text such as "0.01235", "15,000" or "1.5e+12"; a dash for numbers that are not finite.
std::string short_number(double number);
/// Formats a number of an axis with ticks `step` apart, so that no two ticks look equal: "0.25", "20k".
std::string tick_text(double number, double step);
/// Returns a text such as "60,000".
std::string grouped(std::int64_t count);
/// Formats a coordinate in a drawing, such as "12.3".
std::string place(double at);

/// Shortens a UTF-8 text to at most `letters` characters. An ellipsis replaces the middle; the last third is kept,
/// because names often differ at their ends.
std::string shortened(std::string_view text, std::size_t letters);

/// Returns about `about` numbers at round distances (1, 2 or 5 times a power of ten) that cover a range of doubles.
std::vector<double> round_ticks(double least, double most, int about);

}  // namespace troupe::cli
