#include "models/cuda/kernels/unfold.hpp"
#include "models/cuda/kernels/windows.hpp"

namespace troupe::cuda {

namespace {

/// A kernel in which each index writes one pack of the matrix. Requires that the number of channels is a multiple of
/// kCount, so that the values of each pack are adjacent in the input.
template <class T, int kCount>
struct UnfoldPacks {
  ImageSize from;
  ImageSize to;
  Windows windows;
  std::uint32_t packs;  ///< number of packs in a row of the matrix
  const T* input;
  T* matrix;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided row = divide(index, packs);
    const PixelIndex window = to.pixel_of_row(row.quotient);
    const Divided place = divide(row.remainder, from.packs);  // position in the window, row by row, and pack of
                                                              // channels
    Floats<kCount> values{};
    const auto across = static_cast<std::uint32_t>(windows.kernel);
    const Divided at = divide(place.quotient, across);
    const int y = windows.first(window.row) + static_cast<int>(at.quotient);
    const int x = windows.first(window.column) + static_cast<int>(at.remainder);
    const PixelIndex pixel{window.image, y, x, place.remainder * kCount};
    if (at.quotient < across && from.has(y, x)) values = load<kCount>(input + from.position(pixel, y, x));
    store(values, matrix + index * kCount);
  }
};

/// A kernel in which each index writes one pack of the matrix, for any number of channels. It loads the values one by
/// one.
template <class T, int kCount>
struct UnfoldValues {
  ImageSize from;
  ImageSize to;
  Windows windows;
  std::uint32_t packs;  ///< number of packs in a row of the matrix
  const T* input;
  T* matrix;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided row = divide(index, packs);
    const PixelIndex window = to.pixel_of_row(row.quotient);
    const Divided first = divide(row.remainder * kCount, from.channels);
    const auto across = static_cast<std::uint32_t>(windows.kernel);
    const Divided at = divide(first.quotient, across);
    const int top = windows.first(window.row);
    const int left = windows.first(window.column);
    auto down = static_cast<int>(at.quotient);
    auto right = static_cast<int>(at.remainder);
    std::uint32_t channel = first.remainder;
    Floats<kCount> values{};
    for (int i = 0; i < kCount; ++i) {
      const PixelIndex pixel{window.image, top + down, left + right, channel};
      if (down < windows.kernel && from.has(pixel.row, pixel.column))
        values[i] = to_float(input[from.position(pixel, pixel.row, pixel.column)]);
      if (++channel < from.channels) continue;
      channel = 0;
      if (++right < windows.kernel) continue;
      right = 0;
      ++down;
    }
    store(values, matrix + index * kCount);
  }
};

template <class T, int kCount>
struct Fold {
  ImageSize from;
  ImageSize to;
  Windows windows;
  std::size_t columns;
  const float* matrix;
  T* input;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PixelIndex at = from.pixel<kCount>(index);
    const Span rows = windows.covering(at.row, to.height);
    const Span columns_of = windows.covering(at.column, to.width);
    Floats<kCount> sum{};
    for (int row = rows.first; row < rows.last; ++row)
      for (int column = columns_of.first; column < columns_of.last; ++column) {
        const auto place = windows.place<std::uint32_t>(row, column, at.row, at.column);
        const Floats<kCount> part =
            load<kCount>(matrix + to.number(at, row, column) * columns + place * from.channels + at.channel);
        for (int i = 0; i < kCount; ++i) sum[i] += part[i];
      }
    store(sum, input + from.position(at, at.row, at.column));
  }
};

template <class T>
struct CopyRows {
  std::uint32_t from_columns;
  const T* from;
  std::uint32_t to_columns;
  T* to;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided row = divide(index, to_columns);
    const bool is_there = row.remainder < from_columns;
    store(is_there ? to_float(from[row.quotient * from_columns + row.remainder]) : 0.0F, to[index]);
  }
};

}  // namespace

void unfold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const void* input, void* matrix) {
  with_element(unfolding.element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(unfolding.input, kCount);
    const ImageSize to(unfolding.output, kCount);
    const auto packs = static_cast<std::uint32_t>(unfolding.columns() / kCount);
    const std::size_t indices = static_cast<std::size_t>(samples * unfolding.rows_of_sample()) * packs;
    const Windows windows(unfolding.window);
    const auto* const x = static_cast<const T*>(input);
    auto* const to_matrix = static_cast<T*>(matrix);
    if (unfolding.input.channels % kCount == 0)
      for_each(stream, indices, UnfoldPacks<T, kCount>{from, to, windows, packs, x, to_matrix});
    else
      for_each(stream, indices, UnfoldValues<T, kCount>{from, to, windows, packs, x, to_matrix});
  });
}

void fold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const float* matrix, void* input) {
  with_packs(unfolding.element, unfolding.input.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const ImageSize from(unfolding.input, kCount);
    const ImageSize to(unfolding.output, kCount);
    for_each(stream, from.indices(samples),
             Fold<T, kCount>{from, to, Windows(unfolding.window), static_cast<std::size_t>(unfolding.columns()), matrix,
                             static_cast<T*>(input)});
  });
}

void copy_rows(cudaStream_t stream, Element element, std::int64_t rows, std::int64_t from_columns, const void* from,
               std::int64_t to_columns, void* to) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    for_each(stream, static_cast<std::size_t>(rows * to_columns),
             CopyRows<T>{static_cast<std::uint32_t>(from_columns), static_cast<const T*>(from),
                         static_cast<std::uint32_t>(to_columns), static_cast<T*>(to)});
  });
}

}  // namespace troupe::cuda
