#include "models/metrics/summary.hpp"

#include <cmath>

namespace troupe {
namespace {

/// Returns part / whole, or 0 if `whole` is 0.
double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

double r2_of(double squared_error, double deviation) {
  if (deviation == 0) return squared_error == 0 ? 1 : 0;
  return 1 - squared_error / deviation;
}

}  // namespace

std::vector<ClassMetrics> class_metrics(std::span<const std::int64_t> confusion) {
  const auto classes = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(confusion.size()))));
  std::vector<ClassMetrics> of_each(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    std::int64_t taken_for = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      taken_for += confusion[i * classes + c];
      of_each[c].support += confusion[c * classes + i];
    }
    const auto found = static_cast<double>(confusion[c * classes + c]);
    of_each[c].precision = share(found, static_cast<double>(taken_for));
    of_each[c].recall = share(found, static_cast<double>(of_each[c].support));
    of_each[c].f1 = share(2 * found, static_cast<double>(taken_for + of_each[c].support));
  }
  return of_each;
}

ClassMetrics macro_metrics(std::span<const ClassMetrics> classes) {
  ClassMetrics sum;
  for (const ClassMetrics& each : classes) {
    sum.precision += each.precision;
    sum.recall += each.recall;
    sum.f1 += each.f1;
    sum.support += each.support;
  }
  const auto count = static_cast<double>(classes.size());
  return {share(sum.precision, count), share(sum.recall, count), share(sum.f1, count), sum.support};
}

TargetMetrics target_metrics(const TargetSums& sums, std::int64_t samples) {
  const auto count = static_cast<double>(samples);
  return {share(sums.squared_error, count), share(sums.absolute_error, count),
          r2_of(sums.squared_error, sums.deviation)};
}

TargetMetrics overall_metrics(std::span<const TargetSums> targets, std::int64_t samples) {
  TargetSums all;
  for (const TargetSums& each : targets) {
    all.squared_error += each.squared_error;
    all.absolute_error += each.absolute_error;
    all.deviation += each.deviation;
  }
  const double numbers = static_cast<double>(targets.size()) * static_cast<double>(samples);
  return {share(all.squared_error, numbers), share(all.absolute_error, numbers),
          r2_of(all.squared_error, all.deviation)};
}

void merge(TargetSums& sums, std::int64_t samples, const TargetSums& more, std::int64_t more_samples) {
  sums.squared_error += more.squared_error;
  sums.absolute_error += more.absolute_error;
  const std::int64_t both = samples + more_samples;
  if (both == 0) return;
  const double between = more.mean - sums.mean;
  const double weight = static_cast<double>(more_samples) / static_cast<double>(both);
  sums.mean += between * weight;
  sums.deviation += more.deviation + between * between * static_cast<double>(samples) * weight;
}

}  // namespace troupe
