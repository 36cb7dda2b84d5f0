#pragma once

#include <limits>
#include <optional>
#include <string>

#include "troupe/callback.hpp"

namespace troupe {

/// Returns the value of the metric `name` in a report. Returns NaN if the value is not a number, and std::nullopt if
/// the report has no such metric.
inline std::optional<double> metric_of(const Report& report, const std::string& name) {
  const auto metric = report.metrics.find(name);
  if (metric == report.metrics.end()) return std::nullopt;
  return metric->is_number() ? metric->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Returns true if `value` is better than `best`, the best value so far, by more than `least`. If there is no best
/// value yet, every number is better. NaN is never better.
inline bool improves(double value, const std::optional<double>& best, Better better, double least = 0) {
  if (!best) return value == value;
  return better == Better::lower ? value < *best - least : value > *best + least;
}

}  // namespace troupe
