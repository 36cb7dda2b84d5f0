#pragma once

#include <string>
#include <vector>

namespace troupe::cli {

/// What an axis goes over. What is not finite becomes a number; where both ends are one, there is room around it.
struct Range {
  double least = 0;
  double most = 1;
  bool whole = false;  ///< only whole numbers have a tick

  Range(double from, double to, bool whole_numbers = false);
};

/// A chart's frame: two axes with round ticks, and what is drawn between them.
class Plot {
 public:
  struct Size {
    double width = 340;
    double height = 210;
  };
  static constexpr Size kWide{.width = 1000, .height = 260};

  /// @param title plain text; the x-axis ends where its range does, the y-axis at a round number.
  /// @param x_name, y_name plain texts; may be empty
  Plot(std::string title, std::string x_name, std::string y_name, Range x, Range y, Size size);

  /// Where a number lies in the drawing.
  double x(double number) const;
  double y(double number) const;
  /// Of the numbers of the y-axis.
  const Range& y_range() const { return y_; }

  /// An element of SVG, already escaped.
  void draw(const std::string& element) { body_ += element + "\n"; }
  /// Names of what is drawn, with the colours 0, 1 and so on.
  void legend(const std::vector<std::string>& names);
  /// The figure with its caption.
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
  double bottom_ = 0;  ///< where the x-axis lies
  std::string body_;
  std::string legend_;
};

/// "c3": the class of the colour of the i-th of several things; there are ten colours.
std::string colour_class(std::size_t i);

}  // namespace troupe::cli
