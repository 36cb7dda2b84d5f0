#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/moments.hpp"
#include "models/files/images/image.hpp"
#include "troupe/data.hpp"

// Statistics of a set of samples, from two passes over the set. Memory does not grow with the set.
namespace troupe::cli {

inline constexpr std::int64_t kMostColumns = 1000;  ///< columns that are described one by one; further ones are left
                                                    ///< out
inline constexpr std::size_t kMostCorrelated = 24;  ///< columns and targets whose correlations with each other are
                                                    ///< computed
inline constexpr std::size_t kMostDescribedTargets = 8;
inline constexpr std::size_t kHistogramParts = 24;
inline constexpr std::int64_t kMostPlottedColumns = 8;
inline constexpr std::int64_t kMostPicturedClasses = 40;
inline constexpr std::size_t kMostPoints = 800;  ///< samples in scatter charts

/// Statistics of a column of flat samples, a channel of images, a target, or all values together.
struct Described {
  std::string name;
  Moments moments = {};
  Histogram histogram = {};
};

/// A sample as a point in scatter charts.
struct Point {
  std::int32_t label = -1;
  std::vector<float> values;  ///< the first values of the sample
  float target = 0;           ///< the first target
};

/// A sample as a small picture.
struct Picture {
  std::int64_t number = 0;
  std::int32_t label = -1;
  Image image;
};

struct SetSummary {
  std::string name;  ///< training, test, validation
  DataInfo info;
  std::int64_t looked_at = 0;           ///< number of samples looked at
  std::int64_t left_out = 0;            ///< number of these that cannot be read
  bool drawn = false;                   ///< random transforms were applied, as in the first epoch of training
  bool images = false;                  ///< samples are {height, width}, {1, height, width} or {3, height, width}
  std::vector<Described> columns = {};  ///< see `Described`
  std::vector<Described> targets = {};
  std::vector<std::int64_t> class_counts = {};
  std::vector<std::string> correlated = {};  ///< names of the first columns and targets, if samples are flat
  Correlations correlations = {};            ///< correlations of these with each other
  Correlations with_targets = {};            ///< correlations of all described columns with the targets
  std::vector<Point> points = {};            ///< points of flat samples, evenly over the set
  std::vector<Picture> pictures = {};        ///< for images: some of each of the first classes, sorted by class
};

struct SummaryLimits {
  std::int64_t samples = 0;  ///< number of samples to look at, evenly over the set; 0: see `samples_looked_at`
  std::uint64_t seed = 1;    ///< seed of random transforms
};

/// Returns how many samples are looked at. Default: 100,000, or fewer if they are large: about 2^30 values, but at
/// least 1,000 samples.
std::int64_t samples_looked_at(const DataInfo& info, std::int64_t asked);

/// Computes the summary of a set. @param training whether random transforms are applied. @throws Error of reading
/// samples
SetSummary summarise(const std::string& name, const DataSource& set, bool training, const SummaryLimits& limits);

/// Returns "3 (dress)", or "3" if classes have no names.
std::string class_text(const DataInfo& info, std::size_t label);

}  // namespace troupe::cli
