#pragma once

#include <limits>
#include <optional>
#include <string>

#include "troupe/callback.hpp"

namespace troupe {

/// Returns a report's metric; NaN if it is not a number, nothing if the report has no metric of that name.
inline std::optional<double> metric_of(const Report& report, const std::string& name) {
  const auto metric = report.metrics.find(name);
  if (metric == report.metrics.end()) return std::nullopt;
  return metric->is_number() ? metric->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Returns true if a value is better than the best value so far by more than `least`. NaN is never better; without a
/// best value any other value is better.
inline bool improves(double value, const std::optional<double>& best, Better better, double least = 0) {
  if (!best) return value == value;
  return better == Better::lower ? value < *best - least : value > *best + least;
}

}  // namespace troupe
