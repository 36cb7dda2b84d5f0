#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace troupe::cli {

/// Count, mean, deviation, least and most of numbers that come one after the other. What is not finite is only counted.
class Moments {
 public:
  /// Parts are joined by Chan's formula, which for one number is Welford's.
  void add(std::span<const float> values);

  std::int64_t count() const { return count_; }
  std::int64_t not_finite() const { return not_finite_; }
  double mean() const { return mean_; }
  /// Of all numbers, divided by their count; 0 where there are none.
  double deviation() const;
  /// Whether all are whole numbers.
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

/// Pearson's correlation of each of some series with each of others, by one pass: of `rows * columns` doubles.
class Correlations {
 public:
  Correlations() = default;
  Correlations(std::size_t rows, std::size_t columns);

  /// A number of each series. One sample with a number that is not finite is left out.
  void add(std::span<const float> rows, std::span<const float> columns);
  /// In [-1, 1]; NaN where one of the two does not vary.
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

/// How many numbers lie in each of equally wide parts of a range.
struct Histogram {
  double least = 0;
  double most = 0;
  bool whole = false;                     ///< each part is a whole number, from half below to half above it
  std::vector<std::int64_t> counts = {};  ///< one part alone where the range is a point

  Histogram() = default;
  /// Of so many parts, or one a whole number where these are enough.
  Histogram(const Moments& moments, std::size_t parts);
  Histogram(double from, double to, std::size_t parts) : least(from), most(to), counts(from < to ? parts : 1) {}

  /// What is outside counts at the nearer end; what is not finite nowhere.
  void add(std::span<const float> values);
};

}  // namespace troupe::cli
