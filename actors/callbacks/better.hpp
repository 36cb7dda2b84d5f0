#pragma once

#include <limits>
#include <optional>
#include <string>

#include "troupe/callback.hpp"

namespace troupe {

/// A report's metric; NaN where it is no number, none where the report has none of that name.
inline std::optional<double> metric_of(const Report& report, const std::string& name) {
  const auto metric = report.metrics.find(name);
  if (metric == report.metrics.end()) return std::nullopt;
  return metric->is_number() ? metric->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Whether a value is better than the best so far by more than `least`; NaN never is, and any other value is better
/// than none.
inline bool improves(double value, const std::optional<double>& best, Better better, double least = 0) {
  if (!best) return value == value;
  return better == Better::lower ? value < *best - least : value > *best + least;
}

}  // namespace troupe
