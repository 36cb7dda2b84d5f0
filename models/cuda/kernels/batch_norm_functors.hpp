#pragma once

#include "models/cuda/kernels/batch_norm.hpp"
#include "models/cuda/kernels/rows.hpp"
#include "models/cuda/kernels/sum_tree.hpp"

// Kernels that read all elements of a batch. Each index of a kernel processes a pack of channels in several rows.
namespace troupe::cuda {

/// Memory for partial sums: for each run of rows, two sums of each channel, in the order [runs][2][channels].
struct PartialSums {
  float* sums;
  Runs runs;
  std::uint32_t channels;

  /// Returns the distance in elements between consecutive rows of a run.
  TROUPE_HOST_DEVICE std::size_t step() const { return runs.count * channels; }
  template <int kCount>
  TROUPE_HOST_DEVICE void write(std::size_t run, std::uint32_t channel, const Floats<kCount>& first,
                                const Floats<kCount>& second) const {
    float* const to = sums + run * 2 * channels + channel;
    store(first, to);
    store(second, to + channels);
  }
};

/// A kernel that computes two sums over each run of rows: of (x - c) and of (x - c)^2, where c is the first value of
/// the channel. Usually c is close to the mean, so the variance can be computed from these sums without cancellation.
template <class T, int kCount>
struct SumMoments {
  const T* input;
  PartialSums to;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided run = divide(index, to.channels / kCount);
    const std::uint32_t channel = run.remainder * kCount;
    const Floats<kCount> center = load<kCount>(input + channel);
    Floats<kCount> sum{};
    Floats<kCount> squares{};
    const T* const first = input + run.quotient * to.channels + channel;
    const std::size_t length = to.runs.length(run.quotient);
    for (std::size_t row = 0; row < length; ++row) {
      const Floats<kCount> x = load<kCount>(first + row * to.step());
      for (int i = 0; i < kCount; ++i) {
        const float distance = x[i] - center[i];
        sum[i] += distance;
        squares[i] += distance * distance;
      }
    }
    to.write(run.quotient, channel, sum, squares);
  }
};

/// The kernel of norm_forward.
template <class T, int kCount>
struct Normalise {
  RowGroups matrix;
  const T* input;
  const T* addend;
  const float* scale;
  const float* shift;
  bool relu;
  T* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided group = divide(index, matrix.packs);
    const std::uint32_t channel = group.remainder * kCount;
    const Floats<kCount> a = load<kCount>(scale + channel);
    const Floats<kCount> b = load<kCount>(shift + channel);
    for (std::size_t row = group.quotient; row < matrix.rows; row += matrix.groups) {
      const std::size_t at = row * matrix.channels + channel;
      Floats<kCount> x = load<kCount>(input + at);
      for (int i = 0; i < kCount; ++i) x[i] = x[i] * a[i] + b[i];
      if (addend != nullptr) {
        const Floats<kCount> more = load<kCount>(addend + at);
        for (int i = 0; i < kCount; ++i) x[i] += more[i];
      }
      for (int i = 0; i < kCount; ++i) x[i] = relu ? cut(x[i]) : x[i];
      store(x, output + at);
    }
  }
};

/// A kernel that computes the gradient with respect to the value before the ReLU. Also computes two sums over each run
/// of rows: of this gradient, and of this gradient times (input - mean). Template parameters state which operands are
/// used, because tests of pointers in each row would take 50% more time.
template <class T, int kCount, bool kHasSecond, bool kCuts>
struct SumGradients {
  const T* input;
  const T* output;  ///< output of the layer; read if kCuts is true, which means that there is a ReLU
  const T* second;  ///< second gradient of the output; read if kHasSecond is true
  const float* mean;
  T* gradient;
  PartialSums to;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided run = divide(index, to.channels / kCount);
    const std::uint32_t channel = run.remainder * kCount;
    const Floats<kCount> center = load<kCount>(mean + channel);
    Floats<kCount> sum{};
    Floats<kCount> products{};
    const std::size_t first = run.quotient * to.channels + channel;
    const std::size_t length = to.runs.length(run.quotient);
    for (std::size_t row = 0; row < length; ++row) {
      const std::size_t at = first + row * to.step();
      const Floats<kCount> x = load<kCount>(input + at);
      const Floats<kCount> dz = gather(at);
      for (int i = 0; i < kCount; ++i) {
        sum[i] += dz[i];
        products[i] += dz[i] * (x[i] - center[i]);
      }
    }
    to.write(run.quotient, channel, sum, products);
  }

 private:
  /// Computes the gradient before the ReLU at index `at` and stores it. Returns the gradient rounded to the element
  /// type. So the sums are computed from the same numbers as the input gradients.
  TROUPE_HOST_DEVICE Floats<kCount> gather(std::size_t at) const {
    Floats<kCount> dz = load<kCount>(gradient + at);
    if constexpr (kHasSecond) {
      const Floats<kCount> more = load<kCount>(second + at);
      for (int i = 0; i < kCount; ++i) dz[i] = rounded<T>(dz[i] + more[i]);
    }
    if constexpr (kCuts) {
      const Floats<kCount> y = load<kCount>(output + at);
      for (int i = 0; i < kCount; ++i) dz[i] = y[i] > 0 ? dz[i] : 0.0F;
    }
    if constexpr (kHasSecond || kCuts) store(dz, gradient + at);
    return dz;
  }
};

/// The kernel of norm_input_gradients.
template <class T, int kCount>
struct SpreadGradients {
  RowGroups matrix;
  const T* input;
  const T* gradient;
  NormVectors vectors;
  T* input_gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided group = divide(index, matrix.packs);
    const std::uint32_t channel = group.remainder * kCount;
    const Floats<kCount> mean = load<kCount>(vectors.mean + channel);
    const Floats<kCount> by_gradient = load<kCount>(vectors.scale + channel);
    const Floats<kCount> by_input = load<kCount>(vectors.by_input + channel);
    const Floats<kCount> constant = load<kCount>(vectors.constant + channel);
    for (std::size_t row = group.quotient; row < matrix.rows; row += matrix.groups) {
      const std::size_t at = row * matrix.channels + channel;
      const Floats<kCount> x = load<kCount>(input + at);
      Floats<kCount> dz = load<kCount>(gradient + at);
      for (int i = 0; i < kCount; ++i) dz[i] = by_gradient[i] * dz[i] + by_input[i] * (x[i] - mean[i]) + constant[i];
      store(dz, input_gradient + at);
    }
  }
};

}  // namespace troupe::cuda
