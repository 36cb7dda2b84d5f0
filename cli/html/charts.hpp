#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/html/plot.hpp"

// Functions that return charts as markup for a Page. Titles and names are plain text; numbers that are not finite are
// left out.
namespace troupe::cli {

/// A histogram: the number of `what` in equally wide parts of a range.
std::string histogram_chart(const std::string& title, const std::string& what, double least, double most,
                            std::span<const std::int64_t> counts);

/// A horizontal bar for each name, with its count.
std::string bar_chart(const std::string& title, const std::vector<std::string>& names,
                      std::span<const std::int64_t> counts);

struct PlottedPoint {
  double x = 0;
  double y = 0;
  std::size_t group = 0;  ///< decides the colour
};

/// @param groups names of the groups for a legend; none: no legend
std::string scatter_chart(const std::string& title, const std::string& x_name, const std::string& y_name,
                          std::span<const PlottedPoint> points, const std::vector<std::string>& groups);

struct PlottedLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< from left to right
  bool dots = false;                              ///< also draw a dot at each point
};

/// An event at a place of the x-axis.
struct PlottedMark {
  double x = 0;
  std::string what;
};

/// The title and axis names of a chart over steps or epochs.
struct ChartNames {
  std::string title;
  std::string x;
  std::string y;
};

/// @param marks drawn as dashed lines from top to bottom
std::string line_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                       std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// Stacks each line's numbers on those of the lines before it. All lines must have the same x values, and no number may
/// be below 0. If a few places are several times as high as all others, they are cut off, and the title notes this.
std::string stacked_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                          std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// A vertical axis of a parallel chart.
struct ParallelAxis {
  std::string name;
  std::vector<std::pair<double, std::string>> ticks;  ///< heights from 0 to 1 with their labels
  std::vector<double> heights;                        ///< height of each row; NaN: none
};

struct ParallelRow {
  std::string name;  ///< shown when the pointer is on the line
  std::size_t group = 0;
  double strength = 1;  ///< opacity, from 0 (invisible) to 1
};

/// Parallel coordinates: one line per row, through its height on each axis. Later rows are drawn on top.
std::string parallel_chart(const std::string& title, std::span<const ParallelAxis> axes,
                           std::span<const ParallelRow> rows);

}  // namespace troupe::cli
