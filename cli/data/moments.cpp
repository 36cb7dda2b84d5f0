#include "cli/data/moments.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::cli {

void Moments::add(std::span<const float> values) {
  double sum = 0;
  std::int64_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto number = static_cast<double>(value);
    sum += number;
    ++count;
    whole_ = whole_ && number == std::floor(number);
    least_ = std::min(least_, number);
    most_ = std::max(most_, number);
  }
  not_finite_ += std::ssize(values) - count;
  if (count == 0) return;
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (const float value : values)
    if (std::isfinite(value)) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const double before = static_cast<double>(count_);
  const double share = static_cast<double>(count) / static_cast<double>(count_ + count);
  const double distance = mean - mean_;
  squares_ += squares + distance * distance * before * share;
  mean_ += distance * share;
  count_ += count;
}

double Moments::deviation() const { return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_)); }

Correlations::Correlations(std::size_t rows, std::size_t columns)
    : row_means_(rows),
      row_squares_(rows),
      column_means_(columns),
      column_squares_(columns),
      products_(rows * columns) {}

void Correlations::add(std::span<const float> rows, std::span<const float> columns) {
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(rows, finite) || !std::ranges::all_of(columns, finite)) return;
  ++count_;
  // Welford's update of the sum of squares: adds the distance from the old mean times the distance from the new mean.
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double distance = static_cast<double>(columns[k]) - column_means_[k];
    column_means_[k] += distance / count_;
    column_squares_[k] += distance * (static_cast<double>(columns[k]) - column_means_[k]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double distance = static_cast<double>(rows[i]) - row_means_[i];
    row_means_[i] += distance / count_;
    row_squares_[i] += distance * (static_cast<double>(rows[i]) - row_means_[i]);
    for (std::size_t k = 0; k < columns.size(); ++k)
      products_[i * columns.size() + k] += distance * (static_cast<double>(columns[k]) - column_means_[k]);
  }
}

double Correlations::of(std::size_t row, std::size_t column) const {
  // Multiplies the roots, and does not take the root of the product, because the product may be too large or too small
  // for a double.
  const double scale = std::sqrt(row_squares_[row]) * std::sqrt(column_squares_[column]);
  if (!(scale > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(products_[row * columns() + column] / scale, -1.0, 1.0);
}

Histogram::Histogram(const Moments& moments, std::size_t parts) : Histogram(moments.least(), moments.most(), parts) {
  const double numbers = most - least + 1;
  whole = moments.whole() && numbers <= static_cast<double>(parts);
  if (!whole) return;
  least -= 0.5;
  most += 0.5;
  counts.resize(static_cast<std::size_t>(numbers));
}

void Histogram::add(std::span<const float> values) {
  const auto parts = static_cast<double>(counts.size());
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const double part = counts.size() < 2 ? 0 : (static_cast<double>(value) - least) / (most - least) * parts;
    ++counts[static_cast<std::size_t>(std::clamp(part, 0.0, parts - 1))];
  }
}

}  // namespace troupe::cli
