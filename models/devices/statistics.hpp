#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace troupe {

/// The length of every vector with one float for each channel is rounded up to a multiple of this number.
inline constexpr std::int64_t kChannelBlock = 16;

inline std::int64_t round_up(std::int64_t count) { return (count + kChannelBlock - 1) / kChannelBlock * kChannelBlock; }

/// A number that batch-norm adds to each variance before it computes the square root.
inline constexpr double kNormEpsilon = 1e-5;

enum class Statistic : std::uint8_t { mean, variance };

/// Number of floats of a group of running statistics: the means of 16 channels, then their variances.
inline constexpr std::size_t kStatisticsGroup = 2 * kChannelBlock;

constexpr std::size_t statistic_position(Statistic which, std::int64_t channel) {
  const std::int64_t group = channel / kChannelBlock;
  return static_cast<std::size_t>((2 * group + (which == Statistic::variance ? 1 : 0)) * kChannelBlock +
                                  channel % kChannelBlock);
}

/// Computes new running statistics from old ones by PyTorch's rule (momentum 0.1, unbiased variance). All spans consist
/// of whole groups of 16 means and 16 variances. Below, r is the old running mean of a channel, and x stands for the
/// values of the channel in all samples of the step.
/// @param mean at the position of a channel's mean: the mean of (x - r); at the position of its variance: the mean of
/// (x - r)^2
/// @param count number of values of each channel
/// @param statistics the old running statistics
/// @param updated receives the new running statistics
void update_running_statistics(std::span<const float> mean, std::int64_t count, std::span<const float> statistics,
                               std::span<float> updated);

}  // namespace troupe
