#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/report.hpp"

namespace troupe {

/// Of each class, from a square confusion matrix whose rows are classes and whose columns what they were taken for.
std::vector<ClassMetrics> class_metrics(std::span<const std::int64_t> confusion);

/// Means over all classes; the support is that of all.
ClassMetrics macro_metrics(std::span<const ClassMetrics> classes);

/// @param sums of all shards
TargetMetrics target_metrics(const TargetSums& sums, std::int64_t samples);

/// Means over the targets; R2 of their sums.
TargetMetrics overall_metrics(std::span<const TargetSums> targets, std::int64_t samples);

/// Takes the mean and the deviation of one part of a set, and then of another, to those of both (Chan, Golub and
/// LeVeque): nothing is lost to a large mean. Errors are added.
void merge(TargetSums& sums, std::int64_t samples, const TargetSums& more, std::int64_t more_samples);

}  // namespace troupe
