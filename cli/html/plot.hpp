#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// The range of an axis. Ends that are not finite are replaced by finite numbers; if both ends are equal, the range is
/// widened.
struct Range {
  double least = 0;
  double most = 1;
  bool whole = false;  ///< only whole numbers get a tick

  Range(double from, double to, bool whole_numbers = false);
};

/// The frame of a chart: two axes with round ticks, and the elements drawn between them.
class Plot {
 public:
  struct Size {
    double width = 340;
    double height = 210;
  };
  static constexpr Size kWide{.width = 1000, .height = 260};

  /// @param title plain text. The x-axis ends where its range ends, the y-axis at a round number.
  /// @param x_name,y_name plain texts; may be empty
  Plot(std::string title, std::string x_name, std::string y_name, Range x, Range y, Size size);

  /// Return the position of a number in the drawing.
  double x(double number) const;
  double y(double number) const;
  /// The range of the y-axis.
  const Range& y_range() const { return y_; }

  /// Adds an SVG element, which must already be escaped.
  void draw(const std::string& element) { body_ += element + "\n"; }
  /// Adds a legend of names, with the colours 0, 1 and so on.
  void legend(const std::vector<std::string>& names);
  /// Returns the figure with its caption.
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

/// Returns the colour class of the i-th of several things, such as "c3". There are ten colours.
std::string colour_class(std::size_t i);

}  // namespace troupe::cli
