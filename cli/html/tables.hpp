#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Rows of plain texts below a row of headings.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

/// A number in [-1, 1] a pair of names, in cells that are the more coloured the further it is from 0; a dash for NaN.
std::string heat_table(const std::vector<std::string>& names,
                       const std::function<double(std::size_t row, std::size_t column)>& number);

/// Pictures side by side, within the page. @param says plain texts, one a picture, shown where one points at it
std::string picture_sheet(std::span<const Image* const> pictures, const std::vector<std::string>& says);

}  // namespace troupe::cli
