#include "models/devices/statistics.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr double kMomentum = 0.1;

}  // namespace

void update_running_statistics(std::span<const float> mean, std::int64_t count, std::span<const float> statistics,
                               std::span<float> updated) {
  const double unbiased = count > 1 ? static_cast<double>(count) / static_cast<double>(count - 1) : 1;
  for (std::size_t group = 0; group < mean.size(); group += kStatisticsGroup) {
    for (std::size_t i = group; i < group + kChannelBlock; ++i) {
      const double shift = mean[i];
      const double variance = std::max(mean[i + kChannelBlock] - shift * shift, 0.0) * unbiased;  // a NaN remains a NaN
      updated[i] = static_cast<float>(statistics[i] + kMomentum * shift);
      updated[i + kChannelBlock] =
          static_cast<float>((1 - kMomentum) * statistics[i + kChannelBlock] + kMomentum * variance);
    }
  }
}

}  // namespace troupe
