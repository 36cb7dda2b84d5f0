#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/html/charts.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

/// Returns the range of one coordinate over all finite points. The range is widened at both ends by about half the size
/// of a drawn point.
/// @param of the coordinate: &PlottedPoint::x or &PlottedPoint::y
Range padded_range(std::span<const PlottedPoint> points, double PlottedPoint::*of) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const PlottedPoint& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    least = std::min(least, point.*of);
    most = std::max(most, point.*of);
  }
  const Range exact(least, most);
  const double room = (exact.most - exact.least) * 0.02;
  return {exact.least - room, exact.most + room};
}

}  // namespace

std::string scatter_chart(const std::string& title, const std::string& x_name, const std::string& y_name,
                          std::span<const PlottedPoint> points, const std::vector<std::string>& groups) {
  Plot plot(title, x_name, y_name, padded_range(points, &PlottedPoint::x), padded_range(points, &PlottedPoint::y),
            {.width = 340, .height = 250});
  for (const PlottedPoint& point : points)
    if (std::isfinite(point.x) && std::isfinite(point.y))
      plot.draw("<circle class=\"point " + colour_class(point.group) + "\" cx=\"" + place(plot.x(point.x)) +
                "\" cy=\"" + place(plot.y(point.y)) + "\" r=\"2.2\"/>");
  plot.legend(groups);
  return plot.markup();
}

}  // namespace troupe::cli
