#pragma once

#include <limits>
#include <optional>
#include <string>

#include "troupe/callback.hpp"

namespace troupe {

/// Returns the value of the metric `name` in `report`. Returns NaN if the metric's value is not a number, and
/// std::nullopt if the report has no metric of this name.
inline std::optional<double> metric_of(const Report& report, const std::string& name) {
  const auto metric = report.metrics.find(name);
  if (metric == report.metrics.end()) return std::nullopt;
  return metric->is_number() ? metric->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Returns true if a metric's `value` is better than `best`, the best value so far, by more than `least`. If there is
/// no best value yet, returns true for every number. Always returns false for NaN.
/// @param better whether lower or higher values are better
inline bool improves(double value, const std::optional<double>& best, Better better, double least = 0) {
  if (!best) return value == value;
  return better == Better::lower ? value < *best - least : value > *best + least;
}

}  // namespace troupe
