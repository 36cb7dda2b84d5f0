#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace troupe {

/// Formats `rows` as a table: returns a text with one line per row, in which columns are aligned and separated by two
/// spaces. Each cell must be one line of UTF-8. No row may have more cells than the first row.
inline std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  const auto letters = [](const std::string& cell) {
    const auto begins = [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(cell, begins));
  };
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - letters(row[i]) + 2, ' ');
    table += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return table;
}

}  // namespace troupe
