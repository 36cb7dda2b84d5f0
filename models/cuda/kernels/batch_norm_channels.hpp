#pragma once

#include <cmath>

#include "models/cuda/kernels/batch_norm.hpp"
#include "models/cuda/kernels/sum_tree.hpp"
#include "models/devices/statistics.hpp"

// Kernels that compute values of a channel from sums over the channel, or from its running statistics. Each index of a
// kernel processes one channel.
namespace troupe::cuda {

TROUPE_HOST_DEVICE inline std::size_t mean_position(std::size_t channel) {
  return statistic_position(Statistic::mean, static_cast<std::int64_t>(channel));
}
TROUPE_HOST_DEVICE inline std::size_t variance_position(std::size_t channel) {
  return statistic_position(Statistic::variance, static_cast<std::int64_t>(channel));
}

/// Computes inverse deviation, scale and shift of one channel, and writes them and the mean to `vectors`.
TROUPE_HOST_DEVICE inline void keep_moments(std::size_t channel, float mean, double variance,
                                            const NormWeights<const float>& weights, const NormVectors& vectors) {
  const auto inverse_deviation = static_cast<float>(1 / std::sqrt(variance + kNormEpsilon));
  const float scale = weights.scale[channel] * inverse_deviation;
  vectors.mean[channel] = mean;
  vectors.inverse_deviation[channel] = inverse_deviation;
  vectors.scale[channel] = scale;
  vectors.shift[channel] = weights.shift[channel] - mean * scale;
}

/// The last kernel of norm_measure. `last` contains the sums of (x - c) and of (x - c)^2 for each channel, where c is
/// the first value of the channel. Each index computes the results for one channel. For padding channels, it sets the
/// sums for the running statistics to zero.
template <class T, class From>
struct FinishMoments {
  LastSums<From> last;
  std::size_t channels;
  double rows;
  double samples;
  const T* input;
  NormWeights<const float> weights;
  const float* statistics;
  float* statistics_sums;
  NormVectors vectors;

  TROUPE_HOST_DEVICE void operator()(std::size_t channel) const {
    float& mean_sum = statistics_sums[mean_position(channel)];
    float& variance_sum = statistics_sums[variance_position(channel)];
    if (channel >= channels) {
      mean_sum = variance_sum = 0;
      return;
    }
    const double distance = last.total(channel) / rows;
    const double squares = last.total(channels + channel) / rows - distance * distance;
    const double mean = to_float(input[channel]) + distance;
    const double variance = squares < 0 ? 0 : squares;  // a NaN remains a NaN
    keep_moments(channel, static_cast<float>(mean), variance, weights, vectors);
    const double shift = mean - statistics[mean_position(channel)];
    mean_sum = static_cast<float>(samples * shift);
    variance_sum = static_cast<float>(samples * (variance + shift * shift));
  }
};

struct RecallMoments {
  NormWeights<const float> weights;
  const float* statistics;
  NormVectors vectors;

  TROUPE_HOST_DEVICE void operator()(std::size_t channel) const {
    keep_moments(channel, statistics[mean_position(channel)], statistics[variance_position(channel)], weights, vectors);
  }
};

/// The last kernel of norm_gradient_sums. For each channel, `last` contains the sum of the gradient, and the sum of the
/// gradient times (input - mean).
template <class From>
struct FinishGradients {
  LastSums<From> last;
  std::size_t channels;
  double rows;
  bool training;
  NormVectors vectors;
  NormWeights<float> gradients;

  TROUPE_HOST_DEVICE void operator()(std::size_t channel) const {
    const double sum = last.total(channel);
    const double product = last.total(channels + channel);
    const double deviation = vectors.inverse_deviation[channel];
    gradients.scale[channel] = static_cast<float>(product * deviation);
    gradients.shift[channel] = static_cast<float>(sum);
    const double scale = training ? vectors.scale[channel] : 0;
    vectors.by_input[channel] = static_cast<float>(-scale * deviation * deviation * product / rows);
    vectors.constant[channel] = static_cast<float>(-scale * sum / rows);
  }
};

}  // namespace troupe::cuda
