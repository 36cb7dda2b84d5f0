#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/html/plot.hpp"

// This file declares functions that return charts as HTML markup for a Page. Titles and names are plain text, which the
// functions escape. Numbers that are infinite or NaN are not drawn.
namespace troupe::cli {

/// Returns the markup of a histogram.
/// @param what the noun for the counted things, such as "samples"
/// @param least,most ends of the range, which is divided into parts of equal width
/// @param counts the count of each part
std::string histogram_chart(const std::string& title, const std::string& what, double least, double most,
                            std::span<const std::int64_t> counts);

/// Returns the markup of a chart with one horizontal bar for each name.
/// @param counts the lengths of the bars, in the order of `names`
std::string bar_chart(const std::string& title, const std::vector<std::string>& names,
                      std::span<const std::int64_t> counts);

/// A point of a scatter chart.
struct PlottedPoint {
  double x = 0;
  double y = 0;
  std::size_t group = 0;  ///< index of the point's group, which determines the point's colour
};

/// Returns the markup of a scatter chart. @param groups names of the groups of points, for a legend; empty: no legend
std::string scatter_chart(const std::string& title, const std::string& x_name, const std::string& y_name,
                          std::span<const PlottedPoint> points, const std::vector<std::string>& groups);

/// A line of a line chart or stacked chart.
struct PlottedLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< x and y, from left to right
  bool dots = false;                              ///< true: a dot is drawn at each point, in addition to the line
};

/// An event, which a chart shows as a mark at a position of the x-axis.
struct PlottedMark {
  double x = 0;
  std::string what;  ///< text that is shown when the pointer is on the mark
};

/// The title and axis names of a chart over steps or epochs.
struct ChartNames {
  std::string title;
  std::string x;
  std::string y;
};

/// Returns the markup of a line chart. @param marks events, which are drawn as dashed vertical lines
std::string line_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                       std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// Returns the markup of a chart of stacked areas: the numbers of each line are added to the sum of all lines before
/// it. All lines must have the same x values, and no number may be below 0. The y-axis usually ends at the largest sum.
/// If the largest sum is more than three times the 99th percentile of the sums, the y-axis ends at 1.2 times this
/// percentile. In that case, the title contains the largest sum.
std::string stacked_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                          std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// A vertical axis of a parallel chart.
struct ParallelAxis {
  std::string name;
  /// Positions of the ticks, from 0 (bottom) to 1 (top), with their labels.
  std::vector<std::pair<double, std::string>> ticks;
  std::vector<double> heights;  ///< for each row: position on this axis, from 0 to 1; NaN: the row's line has a gap
};

/// A line of a parallel chart.
struct ParallelRow {
  std::string name;       ///< text that is shown when the pointer is on the line
  std::size_t group = 0;  ///< determines the colour
  double strength = 1;    ///< opacity, from 0 (invisible) to 1
};

/// Returns the markup of a chart of parallel coordinates. It has vertical axes side by side, and one line per row,
/// which crosses each axis at the row's position on this axis. Later rows are drawn on top of earlier rows.
std::string parallel_chart(const std::string& title, std::span<const ParallelAxis> axes,
                           std::span<const ParallelRow> rows);

}  // namespace troupe::cli
