#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Returns a table of plain texts: a row of headings and the given rows.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

/// Returns a square table with a number in [-1, 1] for each pair of names. The colour of a cell is stronger the further
/// its number is from 0. A NaN is shown as a dash.
std::string heat_table(const std::vector<std::string>& names,
                       const std::function<double(std::size_t row, std::size_t column)>& number);

/// Returns markup that shows pictures side by side, embedded in the page. @param says plain texts, one per picture,
/// shown when the pointer is on the picture
std::string picture_sheet(std::span<const Image* const> pictures, const std::vector<std::string>& says);

}  // namespace troupe::cli
