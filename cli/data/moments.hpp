#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace troupe::cli {

/// Computes the count, mean, standard deviation, minimum and maximum of a stream of numbers. Only finite numbers enter
/// these results. Numbers that are infinite or NaN are counted separately.
class Moments {
 public:
  /// Adds numbers. Computes the mean and the sum of squared distances of the new numbers, and combines them with the
  /// earlier ones by the formula of Chan et al.
  void add(std::span<const float> values);

  /// Returns the number of finite numbers.
  std::int64_t count() const { return count_; }
  /// Returns the number of infinite numbers and NaNs.
  std::int64_t not_finite() const { return not_finite_; }
  double mean() const { return mean_; }
  /// Returns the standard deviation of the finite numbers, with their count as the divisor; 0 if there are none.
  double deviation() const;
  /// Returns whether all finite numbers are whole numbers.
  bool whole() const { return whole_; }
  double least() const { return count_ == 0 ? 0 : least_; }
  double most() const { return count_ == 0 ? 0 : most_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t not_finite_ = 0;
  double mean_ = 0;
  bool whole_ = true;
  double squares_ = 0;  ///< sum of the squared distances of the numbers from their mean
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

/// Computes Pearson's correlation for each pair of a series in one set ("rows") and a series in another set
/// ("columns"). Each sample is added once, and has one number of each series. Takes memory for `rows * columns`
/// doubles.
class Correlations {
 public:
  Correlations() = default;
  Correlations(std::size_t rows, std::size_t columns);

  /// Adds one sample: one number for each row series and each column series. A sample with a number that is infinite or
  /// NaN is ignored.
  void add(std::span<const float> rows, std::span<const float> columns);
  /// Returns the correlation of row series `row` and column series `column`, in [-1, 1]; NaN if one of them is
  /// constant.
  double of(std::size_t row, std::size_t column) const;

  std::size_t rows() const { return row_means_.size(); }
  std::size_t columns() const { return column_means_.size(); }

 private:
  double count_ = 0;
  std::vector<double> row_means_;
  std::vector<double> row_squares_;
  std::vector<double> column_means_;
  std::vector<double> column_squares_;
  /// For each pair of series: sum of the products of their distances from their means; row-major.
  std::vector<double> products_;
};

/// A histogram: divides the range from `least` to `most` into parts of equal width, and counts the numbers in each
/// part.
struct Histogram {
  double least = 0;
  double most = 0;
  bool whole = false;                     ///< true: each part is for one whole number N, and covers N - 0.5 to N + 0.5
  std::vector<std::int64_t> counts = {};  ///< the count of each part; there is only one part if `least` equals `most`

  Histogram() = default;
  /// Makes an empty histogram, whose range is from the minimum to the maximum of `moments`. If all numbers are whole
  /// and the range has at most `parts` whole numbers, there is one part for each whole number. Otherwise there are
  /// `parts` parts.
  Histogram(const Moments& moments, std::size_t parts);
  Histogram(double from, double to, std::size_t parts) : least(from), most(to), counts(from < to ? parts : 1) {}

  /// Adds numbers. A number outside the range is counted in the nearest part. Infinite numbers and NaN are ignored.
  void add(std::span<const float> values);
};

}  // namespace troupe::cli
