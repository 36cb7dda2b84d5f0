#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/report.hpp"

namespace troupe {

/// Returns the metrics of each class.
/// @param confusion the confusion matrix, row-major: rows are the true classes, columns the predicted classes
std::vector<ClassMetrics> class_metrics(std::span<const std::int64_t> confusion);

/// Returns precision, recall and F1 as means over all classes. The support is the sum over all classes.
ClassMetrics macro_metrics(std::span<const ClassMetrics> classes);

/// Returns the mean squared error, the mean absolute error and R2 of one target.
/// @param sums the sums over the samples of all shards
/// @param samples number of samples
TargetMetrics target_metrics(const TargetSums& sums, std::int64_t samples);

/// Returns the metrics of all targets together. The errors are means over all targets. R2 is computed from the sums of
/// the squared errors and of the squared deviations of all targets.
/// @param targets the sums of each target, over the samples of all shards
/// @param samples number of samples
TargetMetrics overall_metrics(std::span<const TargetSums> targets, std::int64_t samples);

/// Adds the sums over other samples to `sums`. Errors are added. Mean and deviation are combined by the formula of
/// Chan, Golub and LeVeque. It keeps precision even if the mean is large compared with the deviation.
/// @param samples number of samples in `sums`
/// @param more_samples number of samples in `more`
void merge(TargetSums& sums, std::int64_t samples, const TargetSums& more, std::int64_t more_samples);

}  // namespace troupe
