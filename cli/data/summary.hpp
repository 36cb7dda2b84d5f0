#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/moments.hpp"
#include "models/files/images/image.hpp"
#include "troupe/data.hpp"

// What samples of a set are like, by two passes over it in memory that does not grow with it.
namespace troupe::cli {

inline constexpr std::int64_t kMostColumns = 1000;  ///< described one by one; of more the first
inline constexpr std::size_t kMostCorrelated = 24;  ///< columns and targets, each with each
inline constexpr std::size_t kMostDescribedTargets = 8;
inline constexpr std::size_t kHistogramParts = 24;
inline constexpr std::int64_t kMostPlottedColumns = 8;
inline constexpr std::int64_t kMostPicturedClasses = 40;
inline constexpr std::size_t kMostPoints = 800;  ///< samples of which scatter charts are made

/// A column of flat samples, a channel of images, a target, or all values.
struct Described {
  std::string name;
  Moments moments = {};
  Histogram histogram = {};
};

/// A sample as a point of scatter charts.
struct Point {
  std::int32_t label = -1;
  std::vector<float> values;  ///< the first of them
  float target = 0;           ///< the first one
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
  std::int64_t looked_at = 0;           ///< samples
  std::int64_t left_out = 0;            ///< of these, since they cannot be read
  bool drawn = false;                   ///< transforms were random, as in the first epoch of training
  bool images = false;                  ///< samples are {height, width}, {1, height, width} or {3, height, width}
  std::vector<Described> columns = {};  ///< see `Described`
  std::vector<Described> targets = {};
  std::vector<std::int64_t> class_counts = {};
  std::vector<std::string> correlated = {};  ///< names of the first columns and targets, where samples are flat
  Correlations correlations = {};            ///< of these
  Correlations with_targets = {};            ///< of all columns described with the targets
  std::vector<Point> points = {};            ///< of flat samples, evenly over the set
  std::vector<Picture> pictures = {};        ///< of images, some of each of the first classes, class after class
};

struct SummaryLimits {
  std::int64_t samples = 0;  ///< at most so many are looked at, evenly over the set; 0: see `samples_looked_at`
  std::uint64_t seed = 1;    ///< of random transforms
};

/// By default 100,000, and fewer where they are large: not many more than 2^30 values, and at least 1,000 samples.
std::int64_t samples_looked_at(const DataInfo& info, std::int64_t asked);

/// @param training whether random transforms are done to samples. @throws Error what reading samples throws
SetSummary summarise(const std::string& name, const DataSource& set, bool training, const SummaryLimits& limits);

/// "3 (dress)", or "3" where classes have no names.
std::string class_text(const DataInfo& info, std::size_t label);

}  // namespace troupe::cli
