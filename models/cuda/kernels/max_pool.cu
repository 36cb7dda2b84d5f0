#include <limits>

#include "models/cuda/kernels/window_pool.hpp"
#include "models/cuda/kernels/windows.hpp"

namespace troupe::cuda {

namespace {

/// Returns true if `value` is the largest value of a window, given this largest value in `largest`. A NaN counts as
/// larger than any number.
TROUPE_HOST_DEVICE inline bool is_largest(float value, float largest) {
  return value == largest || (value != value && largest != largest);
}

template <class Place>
inline constexpr Place kNoPlace = std::numeric_limits<Place>::max();

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
        for (int i = 0; i < kCount; ++i)  // a comparison with NaN is false, so a NaN becomes `best` and stays
          best[i] = x[i] <= best[i] || best[i] != best[i] ? best[i] : x[i];
      }
    for (int i = 0; i < kCount; ++i) best[i] = relu ? cut(best[i]) : best[i];
    store(best, output + to.position(at, at.row, at.column));
  }
};

/// A kernel in which each index finds the largest value in one window, for one pack of channels. It writes the place of
/// this value: its number in the window, counted row by row. If several values are the largest, it writes the first
/// place. It writes `kNoPlace` where the ReLU set the output to zero.
template <class T, class Place, int kCount>
struct PlaceOfLargest {
  ImageSize from;
  ImageSize to;
  Windows windows;
  bool relu;
  const T* input;
  const T* output;
  Place* places;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = to.pixel<kCount>(index);
    const Span rows = windows.covered_by(at.row, from.height);
    const Span columns = windows.covered_by(at.column, from.width);
    const std::size_t here = to.position(at, at.row, at.column);
    const Floats<kCount> largest = load<kCount>(output + here);
    Pack<Place, kCount> found;
    for (int i = 0; i < kCount; ++i) found.values[i] = kNoPlace<Place>;
    for (int row = rows.last - 1; row >= rows.first; --row)  // backwards, so that the first largest value is found last
      for (int column = columns.last - 1; column >= columns.first; --column) {
        const Floats<kCount> x = load<kCount>(input + from.position(at, row, column));
        const Place place = windows.place<Place>(at.row, at.column, row, column);
        for (int i = 0; i < kCount; ++i) found.values[i] = is_largest(x[i], largest[i]) ? place : found.values[i];
      }
    for (int i = 0; i < kCount; ++i) found.values[i] = relu && largest[i] <= 0 ? kNoPlace<Place> : found.values[i];
    *reinterpret_cast<Pack<Place, kCount>*>(places + here) = found;
  }
};

/// A kernel in which each index computes the gradient of one input pixel, for one pack of channels. This gradient is
/// the sum of the gradients of those windows in which the pixel is the largest value.
template <class T, class Place, int kCount>
struct GatherOfLargest {
  ImageSize from;
  ImageSize to;
  Windows windows;
  const Place* places;
  const T* output_gradient;
  T* input_gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = from.pixel<kCount>(index);
    const Span rows = windows.covering(at.row, to.height);
    const Span columns = windows.covering(at.column, to.width);
    Floats<kCount> sum{};
    for (int row = rows.first; row < rows.last; ++row)
      for (int column = columns.first; column < columns.last; ++column) {
        const std::size_t window = to.position(at, row, column);
        const auto found = *reinterpret_cast<const Pack<Place, kCount>*>(places + window);
        const Floats<kCount> gradient = load<kCount>(output_gradient + window);
        const Place here = windows.place<Place>(row, column, at.row, at.column);
        for (int i = 0; i < kCount; ++i) sum[i] += found.values[i] == here ? gradient[i] : 0.0F;
      }
    store(sum, input_gradient + from.position(at, at.row, at.column));
  }
};

/// Calls run(Place{}), where Place is the smallest integer type that can number the places of a window.
template <class Run>
void with_place(const models::Window& window, const Run& run) {
  constexpr std::int64_t kMostNarrow = 15;
  if (window.kernel <= kMostNarrow) return run(std::uint8_t{});
  run(std::uint16_t{});
}

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

std::size_t max_pool_scratch(const Pooling& pooling, std::int64_t samples) {
  std::size_t bytes = 0;
  with_place(pooling.window,
             [&](auto place) { bytes = static_cast<std::size_t>(samples * pooling.output.size()) * sizeof(place); });
  return bytes;
}

void max_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                       const void* output, const void* output_gradient, void* scratch, void* input_gradient) {
  with_packs(pooling.element, pooling.input.channels, [&](auto elements) {
    with_place(pooling.window, [&](auto place) {
      using T = typename decltype(elements)::Type;
      using Place = decltype(place);
      constexpr int kCount = decltype(elements)::kPack;
      const ImageSize from(pooling.input, kCount);
      const ImageSize to(pooling.output, kCount);
      const Windows windows(pooling.window);
      auto* const places = static_cast<Place*>(scratch);
      for_each(stream, to.indices(samples),
               PlaceOfLargest<T, Place, kCount>{from, to, windows, relu, static_cast<const T*>(input),
                                                static_cast<const T*>(output), places});
      for_each(stream, from.indices(samples),
               GatherOfLargest<T, Place, kCount>{from, to, windows, places, static_cast<const T*>(output_gradient),
                                                 static_cast<T*>(input_gradient)});
    });
  });
}

}  // namespace troupe::cuda
