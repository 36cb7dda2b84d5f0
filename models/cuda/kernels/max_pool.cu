#include <limits>

#include "models/cuda/kernels/window_pool.hpp"
#include "models/cuda/kernels/windows.hpp"

namespace troupe::cuda {

namespace {

/// Whether a value is the largest of its window, of which a NaN is one.
TROUPE_HOST_DEVICE inline bool is_largest(float value, float largest) {
  return value == largest || (value != value && largest != largest);
}

template <class T, int kCount>
struct LargestOfWindow {
  ImageSize from;
  ImageSize to;
  Windows windows;
  bool relu;
  const T* input;
  T* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = to.pixel<kCount>(index);
    const Span rows = windows.covered_by(at.row, from.height);
    const Span columns = windows.covered_by(at.column, from.width);
    Floats<kCount> best;
    for (int i = 0; i < kCount; ++i) best[i] = -std::numeric_limits<float>::infinity();
    for (int row = rows.first; row < rows.last; ++row)
      for (int column = columns.first; column < columns.last; ++column) {
        const Floats<kCount> x = load<kCount>(input + from.position(at, row, column));
        for (int i = 0; i < kCount; ++i)  // the comparison is false for a NaN, which is to stay
          best[i] = x[i] <= best[i] || best[i] != best[i] ? best[i] : x[i];
      }
    for (int i = 0; i < kCount; ++i) best[i] = relu ? cut(best[i]) : best[i];
    store(best, output + to.position(at, at.row, at.column));
  }
};

/// An index gathers the gradient of an input's pixel from the windows that cover it.
template <class T, int kCount>
struct GatherOfLargest {
  ImageSize from;
  ImageSize to;
  Windows windows;
  bool relu;
  const T* input;
  const T* output;
  const T* output_gradient;
  T* input_gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = from.pixel<kCount>(index);
    const std::size_t here = from.position(at, at.row, at.column);
    const Floats<kCount> x = load<kCount>(input + here);
    const Span rows = windows.covering(at.row, to.height);
    const Span columns = windows.covering(at.column, to.width);
    Floats<kCount> sum{};
    for (int row = rows.first; row < rows.last; ++row)
      for (int column = columns.first; column < columns.last; ++column) {
        const Floats<kCount> share = share_of(at, x, row, column);
        for (int i = 0; i < kCount; ++i) sum[i] += share[i];
      }
    store(sum, input_gradient + here);
  }

 private:
  /// What the pixel gets of a window's gradient: all of it where it is the largest and none before it is as large.
  TROUPE_HOST_DEVICE Floats<kCount> share_of(const PixelIndex& at, const Floats<kCount>& x, int window_row,
                                             int window_column) const {
    const std::size_t window = to.position(at, window_row, window_column);
    const Floats<kCount> largest = load<kCount>(output + window);
    Floats<kCount> share = load<kCount>(output_gradient + window);
    bool any = false;
    for (int i = 0; i < kCount; ++i) {
      if (!is_largest(x[i], largest[i]) || (relu && largest[i] <= 0)) share[i] = 0;
      any = any || share[i] != 0;
    }
    if (!any) return share;
    const Span rows = windows.covered_by(window_row, from.height);
    const Span columns = windows.covered_by(window_column, from.width);
    for (int row = rows.first; row <= at.row; ++row) {
      const int last = row < at.row ? columns.last : at.column;
      for (int column = columns.first; column < last; ++column) {
        const Floats<kCount> earlier = load<kCount>(input + from.position(at, row, column));
        for (int i = 0; i < kCount; ++i) share[i] = is_largest(earlier[i], largest[i]) ? 0.0F : share[i];
      }
    }
    return share;
  }
};

}  // namespace

void max_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                      void* output) {
  with_packs(pooling.element, pooling.input.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(pooling.input, kCount);
    const ImageSize to(pooling.output, kCount);
    for_each(stream, to.indices(samples),
             LargestOfWindow<T, kCount>{from, to, Windows(pooling.window), relu, static_cast<const T*>(input),
                                        static_cast<T*>(output)});
  });
}

void max_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                       const void* output, const void* output_gradient, void* input_gradient) {
  with_packs(pooling.element, pooling.input.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(pooling.input, kCount);
    const ImageSize to(pooling.output, kCount);
    for_each(stream, from.indices(samples),
             GatherOfLargest<T, kCount>{from, to, Windows(pooling.window), relu, static_cast<const T*>(input),
                                        static_cast<const T*>(output), static_cast<const T*>(output_gradient),
                                        static_cast<T*>(input_gradient)});
  });
}

}  // namespace troupe::cuda
