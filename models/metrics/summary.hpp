#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/report.hpp"

namespace troupe {

/// Returns the metrics of each class. @param confusion a square matrix: rows are classes, columns are predicted classes
std::vector<ClassMetrics> class_metrics(std::span<const std::int64_t> confusion);

/// Returns the means over all classes. The support is the sum over all classes.
ClassMetrics macro_metrics(std::span<const ClassMetrics> classes);

/// @param sums of all shards
TargetMetrics target_metrics(const TargetSums& sums, std::int64_t samples);

/// Returns the means over the targets. R2 is computed from the targets' sums.
TargetMetrics overall_metrics(std::span<const TargetSums> targets, std::int64_t samples);

/// Combines the mean and deviation of two parts of a set (Chan, Golub and LeVeque). A large mean costs no precision.
/// Errors are added.
void merge(TargetSums& sums, std::int64_t samples, const TargetSums& more, std::int64_t more_samples);

}  // namespace troupe
