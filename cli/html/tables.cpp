#include "cli/html/tables.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

/// Returns the markup of a table cell that shows `number`. The cell is blue for a number above 0, and orange for a
/// number below 0. The colour is more transparent if the number is nearer to 0, so the text is readable in light and
/// dark mode.
std::string coloured_cell(double number) {
  if (!std::isfinite(number)) return "<td>–</td>";
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "<td style=\"background:rgba(%s,%.2f)\">%.2f</td>",
                number > 0 ? "31,111,178" : "211,87,28", std::abs(number) * 0.7,
                std::round(number * 100) / 100 + 0.0);  // avoids -0.00
  return text.data();
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kLetters[group >> (18U - 6U * k) & 63U];
  }
  return text;
}

}  // namespace

std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string& heading : headings) text += "<th>" + escaped(heading) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (const std::string& field : row) text += "<td>" + escaped(field) + "</td>";
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>";
}

std::string heat_table(const std::vector<std::string>& names,
                       const std::function<double(std::size_t row, std::size_t column)>& number) {
  constexpr std::size_t kLetters = 20;
  std::string text = "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th>";
  for (const std::string& name : names) text += "<th>" + escaped(shortened(name, kLetters)) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (std::size_t row = 0; row < names.size(); ++row) {
    text += "<tr><th>" + escaped(shortened(names[row], kLetters)) + "</th>";
    for (std::size_t column = 0; column < names.size(); ++column) text += coloured_cell(number(row, column));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>";
}

std::string picture_sheet(std::span<const Image* const> pictures, const std::vector<std::string>& says) {
  std::string text = "<div class=\"sheet\">";
  for (std::size_t i = 0; i < pictures.size(); ++i)
    text += "<figure><img alt=\"" + escaped(says[i]) + "\" title=\"" + escaped(says[i]) +
            "\" src=\"data:image/png;base64," + base64(png_of(*pictures[i])) + "\"></figure>\n";
  return text + "</div>";
}

}  // namespace troupe::cli
