#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// The range of a chart's axis. The constructor replaces an end that is infinite or NaN with 0. If both ends are equal
/// or almost equal, the constructor widens the range.
struct Range {
  double least = 0;
  double most = 1;
  bool whole = false;  ///< true: ticks are only at whole numbers

  Range(double from, double to, bool whole_numbers = false);
};

/// A chart: an x-axis and a y-axis with ticks at round numbers, and the elements that are drawn between the axes.
class Plot {
 public:
  /// Width and height of a drawing, in pixels.
  struct Size {
    double width = 340;
    double height = 210;
  };
  static constexpr Size kWide{.width = 1000, .height = 260};

  /// Draws the axes. The x-axis covers exactly the range `x`. The y-axis covers the range `y`, extended to round
  /// numbers.
  /// @param title,x_name,y_name plain texts; the names of the axes may be empty
  Plot(std::string title, std::string x_name, std::string y_name, Range x, Range y, Size size);

  /// Return the position in the drawing, in pixels, of a number on the x-axis (`x`) or on the y-axis (`y`).
  double x(double number) const;
  double y(double number) const;
  /// Returns the range of the y-axis.
  const Range& y_range() const { return y_; }

  /// Adds an SVG element to the chart. Texts in the element must already be escaped.
  void draw(const std::string& element) { body_ += element + "\n"; }
  /// Adds a legend, in which name number i has colour number i (see `colour_class`).
  void legend(const std::vector<std::string>& names);
  /// Returns the chart as an HTML figure, with the title as its caption.
  std::string markup() const;

 private:
  void draw_axes();

  std::string title_;
  std::string x_name_;
  std::string y_name_;
  std::vector<double> x_ticks_;
  std::vector<double> y_ticks_;
  Range x_;
  Range y_;
  Size size_;
  double bottom_ = 0;  ///< y position of the x-axis
  std::string body_;
  std::string legend_;
};

/// Returns the name of the CSS class for colour number `i`, such as "c3". There are ten colours; colour 10 is colour 0
/// again.
std::string colour_class(std::size_t i);

}  // namespace troupe::cli
