#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/moments.hpp"
#include "models/files/images/image.hpp"
#include "troupe/data.hpp"

// This file declares statistics of a set of samples. To compute them, the set is read twice. The needed memory does not
// grow with the number of samples.
namespace troupe::cli {

/// Maximum number of columns for which statistics are computed; later columns are left out.
inline constexpr std::int64_t kMostColumns = 1000;
/// Maximum number of columns and targets together whose correlations with each other are computed.
inline constexpr std::size_t kMostCorrelated = 24;
/// Maximum number of targets for which statistics are computed.
inline constexpr std::size_t kMostDescribedTargets = 8;
inline constexpr std::size_t kHistogramParts = 24;        ///< maximum number of parts (bars) of a histogram
inline constexpr std::int64_t kMostPlottedColumns = 8;    ///< maximum number of columns that scatter charts show
inline constexpr std::int64_t kMostPicturedClasses = 40;  ///< maximum number of classes from which pictures are shown
inline constexpr std::size_t kMostPoints = 800;           ///< maximum number of samples in scatter charts

/// Statistics of one series of numbers: a column of flat samples, a channel of images, a target, or all values of the
/// samples together.
struct Described {
  std::string name;
  Moments moments = {};
  Histogram histogram = {};
};

/// A sample that is shown as a point in scatter charts.
struct Point {
  std::int32_t label = -1;
  std::vector<float> values;  ///< the first values of the sample, at most kMostPlottedColumns of them
  float target = 0;           ///< the first target of the sample; 0 if there are no targets
};

/// A sample that is shown as a small picture.
struct Picture {
  std::int64_t number = 0;  ///< number of the sample in the set
  std::int32_t label = -1;
  Image image;
};

/// The statistics of a set of samples, which `summarise` returns. A sample is flat if its shape has one dimension, such
/// as a row of a table.
struct SetSummary {
  std::string name;  ///< "training", "test" or "validation"
  DataInfo info;
  std::int64_t looked_at = 0;  ///< number of samples that were read
  std::int64_t left_out = 0;   ///< number of these samples that could not be read
  bool drawn = false;          ///< whether random transforms were applied, as in the first epoch of training
  bool images = false;         ///< whether samples have shape {height, width}, {1, height, width} or {3, height, width}
  /// Statistics of the columns of flat samples, of the channels of images, or of all values together.
  std::vector<Described> columns = {};
  std::vector<Described> targets = {};
  std::vector<std::int64_t> class_counts = {};
  /// For flat samples: names of the first columns and targets, whose correlations are in `correlations`.
  std::vector<std::string> correlated = {};
  Correlations correlations = {};  ///< correlations of the series in `correlated` with each other
  Correlations with_targets = {};  ///< correlations of all `columns` with all `targets`
  std::vector<Point> points = {};  ///< for flat samples: some of them, at most kMostPoints
  /// For images: some samples of each of the first kMostPicturedClasses classes, sorted by class.
  std::vector<Picture> pictures = {};
};

struct SummaryLimits {
  std::int64_t samples =
      0;  ///< number of samples to read, evenly distributed over the set; 0: the default, see `samples_looked_at`
  std::uint64_t seed = 1;  ///< seed of random transforms
};

/// Returns how many samples of a set are read: `asked`, or a default number if `asked` is 0. The default is as many
/// samples as have 2^30 values together, but at least 1,000 and at most 100,000. The result never exceeds the number of
/// samples in the set.
std::int64_t samples_looked_at(const DataInfo& info, std::int64_t asked);

/// Reads samples of `set`, and returns the statistics of the set.
/// @param name "training", "test" or "validation"
/// @param training whether random transforms are applied, as in training
/// @throws Error if samples cannot be read
SetSummary summarise(const std::string& name, const DataSource& set, bool training, const SummaryLimits& limits);

/// Returns the name of the class with the number `label`, such as "dress"; the number as text if the classes have no
/// names.
std::string class_text(const DataInfo& info, std::size_t label);

}  // namespace troupe::cli
