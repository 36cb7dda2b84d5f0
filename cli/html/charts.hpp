#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/html/plot.hpp"

// Functions that return charts as markup for a Page. Titles and names are plain text, which the functions escape.
// Numbers that are infinite or NaN are not drawn.
namespace troupe::cli {

/// Returns a histogram.
/// @param what name of the counted things, such as "samples"
/// @param least,most ends of the range, which is divided into parts of equal width
/// @param counts the count of each part
std::string histogram_chart(const std::string& title, const std::string& what, double least, double most,
                            std::span<const std::int64_t> counts);

/// Returns a chart with a horizontal bar for each name. @param counts the lengths of the bars, in the order of `names`
std::string bar_chart(const std::string& title, const std::vector<std::string>& names,
                      std::span<const std::int64_t> counts);

/// A point of a scatter chart.
struct PlottedPoint {
  double x = 0;
  double y = 0;
  std::size_t group = 0;  ///< index of the point's group, which decides its colour
};

/// Returns a scatter chart. @param groups names of the groups for a legend; empty: no legend
std::string scatter_chart(const std::string& title, const std::string& x_name, const std::string& y_name,
                          std::span<const PlottedPoint> points, const std::vector<std::string>& groups);

/// A line of a line chart or stacked chart.
struct PlottedLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< x and y, from left to right
  bool dots = false;                              ///< also draw a dot at each point
};

/// An event at a position of the x-axis.
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

/// Returns a line chart. @param marks events, drawn as dashed lines from top to bottom
std::string line_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                       std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// Returns a chart of areas: each line's numbers are added to those of the lines before it. All lines must have the
/// same x values, and no number may be below 0. If a few sums (at most 1 %) are more than three times as high as all
/// others, the chart does not show their full height. The title then tells the largest sum.
std::string stacked_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                          std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// A vertical axis of a parallel chart.
struct ParallelAxis {
  std::string name;
  std::vector<std::pair<double, std::string>> ticks;  ///< heights from 0 (bottom) to 1 (top), with their labels
  std::vector<double> heights;  ///< height of each row's line at this axis; NaN: the line has a gap
};

/// A line of a parallel chart.
struct ParallelRow {
  std::string name;       ///< shown when the pointer is on the line
  std::size_t group = 0;  ///< decides the colour
  double strength = 1;    ///< opacity, from 0 (invisible) to 1
};

/// Returns a chart of parallel coordinates: vertical axes side by side, and one line per row, through the row's height
/// on each axis. Later rows are drawn on top of earlier ones.
std::string parallel_chart(const std::string& title, std::span<const ParallelAxis> axes,
                           std::span<const ParallelRow> rows);

}  // namespace troupe::cli
