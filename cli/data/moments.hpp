#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace troupe::cli {

/// Count, mean, deviation, minimum and maximum of a stream of numbers. Numbers that are not finite are only counted.
class Moments {
 public:
  /// Adds numbers. Parts are joined by Chan's formula, which for one number is Welford's.
  void add(std::span<const float> values);

  std::int64_t count() const { return count_; }
  std::int64_t not_finite() const { return not_finite_; }
  double mean() const { return mean_; }
  /// The standard deviation, divided by the count of finite numbers; 0 if there are none.
  double deviation() const;
  /// Returns whether all numbers are whole.
  bool whole() const { return whole_; }
  double least() const { return count_ == 0 ? 0 : least_; }
  double most() const { return count_ == 0 ? 0 : most_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t not_finite_ = 0;
  double mean_ = 0;
  bool whole_ = true;
  double squares_ = 0;  ///< sum of squared distances from the mean
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

/// Pearson's correlation of each row series with each column series, in one pass. Takes memory for `rows * columns`
/// doubles.
class Correlations {
 public:
  Correlations() = default;
  Correlations(std::size_t rows, std::size_t columns);

  /// Adds one sample: a number of each series. Leaves the sample out if a number is not finite.
  void add(std::span<const float> rows, std::span<const float> columns);
  /// Returns a correlation in [-1, 1]; NaN if one of the two series does not vary.
  double of(std::size_t row, std::size_t column) const;

  std::size_t rows() const { return row_means_.size(); }
  std::size_t columns() const { return column_means_.size(); }

 private:
  double count_ = 0;
  std::vector<double> row_means_;
  std::vector<double> row_squares_;
  std::vector<double> column_means_;
  std::vector<double> column_squares_;
  std::vector<double> products_;  ///< sums of products of distances from the means, row after row
};

/// Counts the numbers in equally wide parts of a range.
struct Histogram {
  double least = 0;
  double most = 0;
  bool whole = false;                     ///< each part is a whole number, and spans from half below to half above it
  std::vector<std::int64_t> counts = {};  ///< only one part if the range is a point

  Histogram() = default;
  /// A histogram with at most `parts` parts: one for each whole number if these suffice, otherwise `parts`.
  Histogram(const Moments& moments, std::size_t parts);
  Histogram(double from, double to, std::size_t parts) : least(from), most(to), counts(from < to ? parts : 1) {}

  /// Adds numbers. Numbers outside the range count in the nearest part; numbers that are not finite are ignored.
  void add(std::span<const float> values);
};

}  // namespace troupe::cli
