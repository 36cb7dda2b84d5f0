#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/moments.hpp"
#include "models/files/images/image.hpp"
#include "troupe/data.hpp"

// Statistics of a set of samples. The set is read twice, and memory does not grow with its size.
namespace troupe::cli {

inline constexpr std::int64_t kMostColumns = 1000;  ///< maximum number of columns that are described; later columns are
                                                    ///< left out
inline constexpr std::size_t kMostCorrelated = 24;  ///< maximum number of columns and targets whose correlations with
                                                    ///< each other are computed
inline constexpr std::size_t kMostDescribedTargets = 8;   ///< maximum number of targets that are described
inline constexpr std::size_t kHistogramParts = 24;        ///< maximum number of parts of a histogram
inline constexpr std::int64_t kMostPlottedColumns = 8;    ///< maximum number of columns that scatter charts use
inline constexpr std::int64_t kMostPicturedClasses = 40;  ///< maximum number of classes with pictures
inline constexpr std::size_t kMostPoints = 800;           ///< maximum number of samples in scatter charts

/// Statistics of one column of flat samples, of one channel of images, of one target, or of all values together.
struct Described {
  std::string name;
  Moments moments = {};
  Histogram histogram = {};
};

/// A sample that is shown as a point in scatter charts.
struct Point {
  std::int32_t label = -1;
  std::vector<float> values;  ///< the first values of the sample, at most kMostPlottedColumns
  float target = 0;           ///< the first target; 0 if there is none
};

/// A sample that is shown as a small picture.
struct Picture {
  std::int64_t number = 0;  ///< number of the sample in the set
  std::int32_t label = -1;
  Image image;
};

/// The result of `summarise`. A flat sample is one with a single dimension, such as a row of a table.
struct SetSummary {
  std::string name;  ///< "training", "test" or "validation"
  DataInfo info;
  std::int64_t looked_at = 0;  ///< number of samples that were read
  std::int64_t left_out = 0;   ///< number of these samples that could not be read
  bool drawn = false;          ///< whether random transforms were applied, as in the first epoch of training
  bool images = false;         ///< whether samples have shape {height, width}, {1, height, width} or {3, height, width}
  std::vector<Described> columns = {};  ///< see `Described`
  std::vector<Described> targets = {};
  std::vector<std::int64_t> class_counts = {};
  std::vector<std::string> correlated = {};  ///< names of the first columns and targets, if samples are flat
  Correlations correlations = {};            ///< correlations of the series in `correlated` with each other
  Correlations with_targets = {};            ///< correlations of all `columns` with all `targets`
  std::vector<Point> points = {};            ///< some flat samples, evenly distributed over the set
  std::vector<Picture> pictures = {};        ///< for images: some samples of each of the first classes, sorted by class
};

struct SummaryLimits {
  std::int64_t samples =
      0;  ///< number of samples to read, evenly distributed over the set; 0: the default of `samples_looked_at`
  std::uint64_t seed = 1;  ///< seed of random transforms
};

/// Returns how many samples of a set are read: `asked`, or if that is 0, as many as have 2^30 values together, but at
/// least 1,000 and at most 100,000. Never more than the set has.
std::int64_t samples_looked_at(const DataInfo& info, std::int64_t asked);

/// Computes the summary of a set.
/// @param name "training", "test" or "validation"
/// @param training whether random transforms are applied
/// @throws Error if samples cannot be read
SetSummary summarise(const std::string& name, const DataSource& set, bool training, const SummaryLimits& limits);

/// Returns the name of a class, such as "dress"; its number if classes have no names.
std::string class_text(const DataInfo& info, std::size_t label);

}  // namespace troupe::cli
