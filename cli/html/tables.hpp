#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Returns the markup of a table of plain texts, with a row of headings above `rows`.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

/// Returns the markup of a square table with one cell for each pair of names. A cell shows the result of `number`,
/// which must be in [-1, 1] or NaN. The colour of a cell is stronger if its number is further from 0. A NaN is shown as
/// a dash.
std::string heat_table(const std::vector<std::string>& names,
                       const std::function<double(std::size_t row, std::size_t column)>& number);

/// Returns the markup that shows pictures side by side. The markup contains the data of the pictures.
/// @param says one plain text per picture, which is shown when the pointer is on the picture
std::string picture_sheet(std::span<const Image* const> pictures, const std::vector<std::string>& says);

}  // namespace troupe::cli
