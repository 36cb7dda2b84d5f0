#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/html/plot.hpp"

// Charts as markup for a Page. Titles and names are plain texts; numbers that are not finite are left out.
namespace troupe::cli {

/// How many of `what` lie in each of equally wide parts of a range.
std::string histogram_chart(const std::string& title, const std::string& what, double least, double most,
                            std::span<const std::int64_t> counts);

/// A bar a name, from the left, with its count.
std::string bar_chart(const std::string& title, const std::vector<std::string>& names,
                      std::span<const std::int64_t> counts);

struct PlottedPoint {
  double x = 0;
  double y = 0;
  std::size_t group = 0;  ///< whose colour it has
};

/// @param groups names of the groups for a legend; none: no legend
std::string scatter_chart(const std::string& title, const std::string& x_name, const std::string& y_name,
                          std::span<const PlottedPoint> points, const std::vector<std::string>& groups);

struct PlottedLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< from the left
  bool dots = false;                              ///< one a point, too
};

/// A place of the x-axis, and what happened there.
struct PlottedMark {
  double x = 0;
  std::string what;
};

/// What a chart over steps or epochs is called, and its axes.
struct ChartNames {
  std::string title;
  std::string x;
  std::string y;
};

/// @param marks dashed lines from top to bottom
std::string line_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                       std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// Each line's numbers on top of those of the lines before it; all have the same x, and none is below 0. Where a few
/// places are several times as high as all others, they are cut off, and the title says so.
std::string stacked_chart(const ChartNames& names, std::span<const PlottedLine> lines,
                          std::span<const PlottedMark> marks = {}, Plot::Size size = Plot::kWide);

/// An upright axis of a parallel chart.
struct ParallelAxis {
  std::string name;
  std::vector<std::pair<double, std::string>> ticks;  ///< heights from 0 to 1, and what is there
  std::vector<double> heights;                        ///< of each row; NaN: it has none
};

struct ParallelRow {
  std::string name;  ///< shown where one points at it
  std::size_t group = 0;
  double strength = 1;  ///< from 0, not to be seen, to 1
};

/// Parallel coordinates: a line a row through its height on each axis. The last rows are on top.
std::string parallel_chart(const std::string& title, std::span<const ParallelAxis> axes,
                           std::span<const ParallelRow> rows);

}  // namespace troupe::cli
