#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/files/images/image.hpp"

namespace troupe::cli {

/// Formats rows of plain texts below a row of headings.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

/// Formats a number in [-1, 1] for each pair of names. Cells have a stronger colour the further their number is from 0;
/// NaN is a dash.
std::string heat_table(const std::vector<std::string>& names,
                       const std::function<double(std::size_t row, std::size_t column)>& number);

/// Formats pictures side by side, embedded in the page. @param says plain texts, one per picture, shown when the
/// pointer is on it
std::string picture_sheet(std::span<const Image* const> pictures, const std::vector<std::string>& says);

}  // namespace troupe::cli
