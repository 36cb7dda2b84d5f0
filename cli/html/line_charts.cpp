#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/html/charts.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

using Places = std::vector<std::pair<double, double>>;

bool is_drawn(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

Range range_of(std::span<const PlottedLine> lines, double std::pair<double, double>::*of) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const PlottedLine& line : lines)
    for (const auto& point : line.points) {
      if (!is_drawn(point)) continue;
      least = std::min(least, point.*of);
      most = std::max(most, point.*of);
    }
  return least <= most ? Range(least, most) : Range(0, 1);
}

/// Returns an SVG path through `points`, such as "M1,2L3,4". The path has a gap at each point with a coordinate that is
/// infinite or NaN.
std::string path_through(const Plot& plot, const Places& points) {
  std::string path;
  bool begins = true;
  for (const auto& point : points) {
    if (is_drawn(point)) {
      path += begins ? "M" : "L";
      path += place(plot.x(point.first)) + "," + place(plot.y(point.second));
    }
    begins = !is_drawn(point);
  }
  return path;
}

std::vector<std::string> names_of_lines(std::span<const PlottedLine> lines) {
  std::vector<std::string> names;
  for (const PlottedLine& line : lines) names.push_back(line.name);
  return names;
}

void draw_marks(Plot& plot, std::span<const PlottedMark> marks) {
  for (const PlottedMark& mark : marks)
    plot.draw("<line class=\"mark\" x1=\"" + place(plot.x(mark.x)) + "\" x2=\"" + place(plot.x(mark.x)) + "\" y1=\"" +
              place(plot.y(plot.y_range().least)) + "\" y2=\"" + place(plot.y(plot.y_range().most)) + "\"><title>" +
              escaped(mark.what) + "</title></line>");
}

void draw_dots(Plot& plot, const PlottedLine& line, std::size_t colour) {
  for (const auto& point : line.points)
    if (is_drawn(point))
      plot.draw("<circle class=\"dot " + colour_class(colour) + "\" cx=\"" + place(plot.x(point.first)) + "\" cy=\"" +
                place(plot.y(point.second)) + "\" r=\"3\"><title>" + escaped(line.name) + " " +
                short_number(point.second) + "</title></circle>");
}

/// Returns the SVG path around the area between the lines `below` and `above`, which have the same x values.
std::string area_between(const Plot& plot, const Places& below, const Places& above) {
  std::string path = path_through(plot, above);
  for (std::size_t i = below.size(); i-- > 0;)
    path += "L" + place(plot.x(below[i].first)) + "," + place(plot.y(below[i].second));
  return path + "Z";
}

/// Returns the upper end of the y-axis of a stacked chart, which is usually the largest of `heights`. If the largest
/// height is more than three times the 99th percentile of `heights`, returns 1.2 times the 99th percentile instead.
double top_of(const Places& heights) {
  std::vector<double> all;
  for (const auto& height : heights) all.push_back(height.second);
  std::ranges::sort(all);
  const double usual = all[(all.size() - 1) * 99 / 100];
  return all.back() > 3 * usual && usual > 0 ? 1.2 * usual : all.back();
}

/// Returns the edges of the stacked areas, from bottom to top. The first edge is 0 everywhere. Edge i is the sum of the
/// first i lines.
std::vector<Places> stacked(std::span<const PlottedLine> lines) {
  std::vector<Places> heights(1);
  for (const auto& point : lines.front().points) heights.front().emplace_back(point.first, 0.0);
  for (const PlottedLine& line : lines) {
    Places next = heights.back();
    for (std::size_t i = 0; i < next.size(); ++i)
      next[i].second += std::isfinite(line.points[i].second) ? line.points[i].second : 0;
    heights.push_back(std::move(next));
  }
  return heights;
}

}  // namespace

std::string line_chart(const ChartNames& names, std::span<const PlottedLine> lines, std::span<const PlottedMark> marks,
                       Plot::Size size) {
  const Range x = range_of(lines, &std::pair<double, double>::first);
  Plot plot(names.title, names.x, names.y, Range(x.least, x.most, true),
            range_of(lines, &std::pair<double, double>::second), size);
  draw_marks(plot, marks);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    plot.draw("<path class=\"line " + colour_class(i) + "\" d=\"" + path_through(plot, lines[i].points) + "\"/>");
    if (lines[i].dots) draw_dots(plot, lines[i], i);
  }
  if (lines.size() > 1) plot.legend(names_of_lines(lines));
  return plot.markup();
}

std::string stacked_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                          std::span<const PlottedMark> marks, Plot::Size size) {
  std::vector<Places> heights = stacked(lines);
  const Places& highest = heights.back();
  const double top = top_of(highest);
  const double most = std::ranges::max(highest, {}, &std::pair<double, double>::second).second;
  const std::string title = names.title + (top < most ? " (cut off; the highest is " + short_number(most) + ")" : "");
  const Range x(highest.front().first, highest.back().first, true);
  Plot plot(title, names.x, names.y, x, Range(0, top), size);
  for (Places& places : heights)
    for (auto& at : places) at.second = std::min(at.second, plot.y_range().most);
  for (std::size_t i = 0; i < lines.size(); ++i)
    plot.draw("<path class=\"area " + colour_class(i) + "\" d=\"" + area_between(plot, heights[i], heights[i + 1]) +
              "\"/>");
  draw_marks(plot, marks);
  plot.legend(names_of_lines(lines));
  return plot.markup();
}

}  // namespace troupe::cli
