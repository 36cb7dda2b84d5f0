#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::cli {

/// A text that came from elsewhere, as one line of a page shows it: nothing of it is markup. Of more than `most` bytes
/// the end is left out.
std::string escaped(std::string_view text, std::size_t most = 200);

/// "0.01235", "15,000", "1.5e+12"; a dash for what is not finite.
std::string short_number(double number);
/// A number of an axis whose numbers are `step` apart, so that no two look alike: "0.25", "20k".
std::string tick_text(double number, double step);
/// "60,000".
std::string grouped(std::int64_t count);
/// A place in a drawing: "12.3".
std::string place(double at);

/// So many letters of UTF-8 at most: where there are more, an ellipsis is in place of those before the last third,
/// since names often differ at their ends.
std::string shortened(std::string_view text, std::size_t letters);

/// Numbers at round distances (1, 2 or 5 times a power of ten) that cover a range of doubles: about `about` of them.
std::vector<double> round_ticks(double least, double most, int about);

}  // namespace troupe::cli
