#include "models/cuda/kernels/window_pool.hpp"
#include "models/cuda/kernels/windows.hpp"

namespace troupe::cuda {

namespace {

/// Computes the sum of the pixels in a rectangle of rows and columns, for each channel of a pack.
template <class T, int kCount>
struct SpanSum {
  ImageSize image;
  const T* values;

  TROUPE_HOST_DEVICE Floats<kCount> operator()(const PixelIndex& at, const Span& rows, const Span& columns) const {
    Floats<kCount> sum{};
    for (int row = rows.first; row < rows.last; ++row)
      for (int column = columns.first; column < columns.last; ++column) {
        const Floats<kCount> more = load<kCount>(values + image.position(at, row, column));
        for (int i = 0; i < kCount; ++i) sum[i] += more[i];
      }
    return sum;
  }
};

template <class T, int kCount>
struct MeanOfWindow {
  SpanSum<T, kCount> input;
  ImageSize to;
  Windows windows;
  T* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = to.pixel<kCount>(index);
    Floats<kCount> mean =
        input(at, windows.covered_by(at.row, input.image.height), windows.covered_by(at.column, input.image.width));
    const auto area = static_cast<float>(windows.kernel * windows.kernel);
    for (int i = 0; i < kCount; ++i) mean[i] /= area;
    store(mean, output + to.position(at, at.row, at.column));
  }
};

/// A kernel in which each index computes the gradient of one input pixel, for one pack of channels. The gradient is the
/// sum over the windows that cover the pixel, divided by the size of a window.
template <class T, int kCount>
struct GatherOfMean {
  SpanSum<T, kCount> gradient;
  ImageSize from;
  Windows windows;
  T* input_gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = from.pixel<kCount>(index);
    Floats<kCount> sum = gradient(at, windows.covering(at.row, gradient.image.height),
                                  windows.covering(at.column, gradient.image.width));
    const auto area = static_cast<float>(windows.kernel * windows.kernel);
    for (int i = 0; i < kCount; ++i) sum[i] /= area;
    store(sum, input_gradient + from.position(at, at.row, at.column));
  }
};

}  // namespace

void average_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, const void* input,
                          void* output) {
  with_packs(pooling.element, pooling.input.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(pooling.input, kCount);
    const ImageSize to(pooling.output, kCount);
    for_each(stream, to.indices(samples),
             MeanOfWindow<T, kCount>{
                 {from, static_cast<const T*>(input)}, to, Windows(pooling.window), static_cast<T*>(output)});
  });
}

void average_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples,
                           const void* output_gradient, void* input_gradient) {
  with_packs(pooling.element, pooling.input.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(pooling.input, kCount);
    const ImageSize to(pooling.output, kCount);
    for_each(stream, from.indices(samples),
             GatherOfMean<T, kCount>{{to, static_cast<const T*>(output_gradient)},
                                     from,
                                     Windows(pooling.window),
                                     static_cast<T*>(input_gradient)});
  });
}

}  // namespace troupe::cuda
