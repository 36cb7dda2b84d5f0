#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/report.hpp"

namespace troupe {

/// Returns precision, recall, F1 and support (the number of samples) of each class.
/// @param confusion the confusion matrix, row-major: rows are the true classes, columns the predicted classes
std::vector<ClassMetrics> class_metrics(std::span<const std::int64_t> confusion);

/// Returns the metrics of all classes together: precision, recall and F1 are means over the classes, and the support is
/// the sum over the classes.
ClassMetrics macro_metrics(std::span<const ClassMetrics> classes);

/// Returns the mean squared error, the mean absolute error and R2 of one target.
/// @param sums the sums over the samples of all shards
/// @param samples number of samples
TargetMetrics target_metrics(const TargetSums& sums, std::int64_t samples);

/// Returns the metrics of all targets together. The two errors (squared and absolute) are means over all samples and
/// all targets. R2 is 1 - E / D. E is the sum of the squared errors of all targets. D is the sum of the squared
/// deviations of all targets from their means.
/// @param targets the sums of each target, over the samples of all shards
/// @param samples number of samples
TargetMetrics overall_metrics(std::span<const TargetSums> targets, std::int64_t samples);

/// Adds `more`, the sums over other samples, to `sums`. Afterwards `sums` describes the samples of both. The sums of
/// errors are added. Means and sums of squared deviations are combined by the formula of Chan, Golub and LeVeque. This
/// formula keeps its precision even if the mean is large compared with the deviations.
/// @param samples number of samples in `sums`
/// @param more_samples number of samples in `more`
void merge(TargetSums& sums, std::int64_t samples, const TargetSums& more, std::int64_t more_samples);

}  // namespace troupe
