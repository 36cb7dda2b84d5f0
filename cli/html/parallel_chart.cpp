#include <algorithm>
#include <cmath>

#include "cli/html/charts.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

constexpr double kAxisTop = 30;
constexpr double kAxisHeight = 260;
constexpr double kLeastBetween = 110;
constexpr double kBesideAxes = 75;
constexpr std::size_t kLettersOfAxis = 18;

double y_of(double height) { return kAxisTop + (1 - height) * kAxisHeight; }

std::string text_beside(double x, double y, const std::string& text, const char* more) {
  return "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" " + more + ">" +
         escaped(cli::shortened(text, kLettersOfAxis)) + "</text>\n";
}

std::string drawn(const ParallelAxis& axis, double x) {
  std::string svg = "<line class=\"axis\" x1=\"" + place(x) + "\" x2=\"" + place(x) + "\" y1=\"" + place(y_of(1)) +
                    "\" y2=\"" + place(y_of(0)) + "\"/>\n";
  svg += text_beside(x, kAxisTop - 14, axis.name, "class=\"name\" text-anchor=\"middle\"");
  for (const auto& [height, text] : axis.ticks)
    svg += text_beside(x + 4, y_of(height) + 4, text, "text-anchor=\"start\"");
  return svg;
}

/// Returns the SVG path of the line of row number `row`. The path has a gap at each axis on which the row has no
/// position (NaN).
/// @param between the distance between two axes, in pixels
std::string path_of(std::span<const ParallelAxis> axes, std::size_t row, double between) {
  std::string path;
  bool begins = true;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double height = axes[i].heights.at(row);
    if (std::isfinite(height))
      path += (begins ? "M" : "L") + place(kBesideAxes + between * static_cast<double>(i)) + "," +
              place(y_of(std::clamp(height, 0.0, 1.0)));
    begins = !std::isfinite(height);
  }
  return path;
}

}  // namespace

std::string parallel_chart(const std::string& title, std::span<const ParallelAxis> axes,
                           std::span<const ParallelRow> rows) {
  std::string svg;
  const auto gaps = static_cast<double>(std::max<std::size_t>(2, axes.size()) - 1);
  const double between = std::max(kLeastBetween, (Plot::kWide.width - 2 * kBesideAxes) / gaps);
  for (std::size_t row = 0; row < rows.size(); ++row)
    svg += "<path class=\"line " + colour_class(rows[row].group) + "\" stroke-opacity=\"" +
           short_number(std::clamp(rows[row].strength, 0.0, 1.0)) + "\" d=\"" + path_of(axes, row, between) +
           "\"><title>" + escaped(rows[row].name) + "</title></path>\n";
  for (std::size_t i = 0; i < axes.size(); ++i) svg += drawn(axes[i], kBesideAxes + between * static_cast<double>(i));
  const double width = 2 * kBesideAxes + between * gaps;
  return "<figure class=\"wide\"><figcaption>" + escaped(title) + "</figcaption><svg viewBox=\"0 0 " + place(width) +
         " " + place(kAxisTop + kAxisHeight + 12) + "\" role=\"img\" aria-label=\"" + escaped(title) + "\">\n" + svg +
         "</svg></figure>";
}

}  // namespace troupe::cli
