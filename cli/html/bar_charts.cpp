#include <algorithm>
#include <cmath>

#include "cli/html/charts.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

std::string rectangle(double x, double y, double width, double height, const std::string& says) {
  return "<rect class=\"bar\" x=\"" + place(x) + "\" y=\"" + place(y) + "\" width=\"" + place(width) + "\" height=\"" +
         place(height) + "\"><title>" + escaped(says) + "</title></rect>";
}

double largest_of(std::span<const std::int64_t> counts) {
  return counts.empty() ? 1 : static_cast<double>(std::max<std::int64_t>(1, std::ranges::max(counts)));
}

constexpr double kRowsWidth = 1000;  ///< width of a bar chart, in pixels
constexpr double kRowsNames = 190;
constexpr double kRowsCounts = 70;
constexpr double kRowHeight = 18;

/// Returns the markup of one bar, with its name on the left and its count on the right.
/// @param top position of the bar's upper edge
/// @param most the largest count of all bars
std::string row_of(const std::string& name, std::int64_t count, double top, double most) {
  const double length = static_cast<double>(count) / most * (kRowsWidth - kRowsNames - kRowsCounts);
  const std::string middle = "\" y=\"" + place(top + 11) + "\"";
  return "<text class=\"name\" text-anchor=\"end\" x=\"" + place(kRowsNames - 6) + middle + "><title>" + escaped(name) +
         "</title>" + escaped(cli::shortened(name, 28)) + "</text>" +
         rectangle(kRowsNames, top, length, kRowHeight - 4, name + ": " + grouped(count)) + "<text x=\"" +
         place(kRowsNames + length + 5) + middle + ">" + grouped(count) + "</text>\n";
}

}  // namespace

std::string histogram_chart(const std::string& title, const std::string& what, double least, double most,
                            std::span<const std::int64_t> counts) {
  Plot plot(title, "", what, Range(least, most), Range(0, largest_of(counts)), {});
  const Range range(least, most);
  const double part = (range.most - range.least) / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double from = range.least + part * static_cast<double>(i);
    // If `least` equals `most`, there is only one bar, which is drawn narrower than the plot.
    const bool alone = counts.size() == 1;
    const double left = plot.x(alone ? from + part * 0.4 : from);
    const double right = plot.x(alone ? from + part * 0.6 : from + part);
    const double top = plot.y(static_cast<double>(counts[i]));
    const std::string says =
        alone ? short_number((least + most) / 2) : short_number(from) + " to " + short_number(from + part);
    if (counts[i] > 0)
      plot.draw(rectangle(left + 0.5, top, std::max(0.5, right - left - 1), plot.y(0) - top,
                          says + ": " + grouped(counts[i])));
  }
  return plot.markup();
}

std::string bar_chart(const std::string& title, const std::vector<std::string>& names,
                      std::span<const std::int64_t> counts) {
  const double most = largest_of(counts);
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows += row_of(names[i], counts[i], kRowHeight * static_cast<double>(i) + 4, most);
  const std::string text = escaped(title);
  return "<figure class=\"wide\"><figcaption>" + text + "</figcaption><svg viewBox=\"0 0 " + place(kRowsWidth) + " " +
         place(kRowHeight * static_cast<double>(names.size()) + 8) + "\" role=\"img\" aria-label=\"" + text + "\">\n" +
         rows + "</svg></figure>";
}

}  // namespace troupe::cli
