#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "troupe/json.hpp"

namespace troupe {

/// A cell as RFC 4180 has it: between quotes where it holds a comma, a quote or an end of line.
std::string csv_cell(std::string_view text);
/// A metric's cell: numbers so that they are read back as they were, "nan" and "inf" among them; nothing for null;
/// lists and objects as JSON.
std::string csv_value(const Json& value);

/// Cells with commas between, and the end of the line.
std::string csv_line(const std::vector<std::string>& cells);

/// The texts of the first line's cells. @param length set to that of the line with its end; 0 where there is none
std::vector<std::string> first_csv_line(std::string_view text, std::size_t& length);

/// Bytes of the lines that are whole.
std::size_t whole_csv(std::string_view text);

/// The lines with so many empty cells more each.
std::string widened_csv(std::string_view text, std::size_t more);

}  // namespace troupe
