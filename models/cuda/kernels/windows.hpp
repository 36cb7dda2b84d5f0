#pragma once

#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/window_pool.hpp"

namespace troupe::cuda {

/// Rows or columns [first, last).
struct Span {
  int first;
  int last;
};

/// A pack of channels at a pixel: where the image starts that it is of, in pixels, and its place there.
struct PixelIndex {
  std::size_t image;
  int row;
  int column;
  std::uint32_t channel;
};

/// Images in pixels.
struct ImageSize {
  int height;
  int width;
  std::uint32_t channels;
  std::uint32_t packs;  ///< of channels

  ImageSize(const SampleShape& shape, int pack)
      : height(static_cast<int>(shape.height)),
        width(static_cast<int>(shape.width)),
        channels(static_cast<std::uint32_t>(shape.channels)),
        packs(channels / static_cast<std::uint32_t>(pack)) {}

  std::size_t indices(std::int64_t samples) const {
    return static_cast<std::size_t>(samples) * static_cast<std::size_t>(height * width) * packs;
  }
  template <int kCount>
  TROUPE_HOST_DEVICE PixelIndex pixel(std::size_t index) const {
    const Divided by_pack = divide(index, packs);
    const Divided by_column = divide(by_pack.quotient, static_cast<std::uint32_t>(width));
    const Divided by_row = divide(by_column.quotient, static_cast<std::uint32_t>(height));
    return {by_row.quotient, static_cast<int>(by_row.remainder), static_cast<int>(by_column.remainder),
            by_pack.remainder * kCount};
  }
  /// Of the element of that channel at a pixel of an image.
  TROUPE_HOST_DEVICE std::size_t position(const PixelIndex& of, int row, int column) const {
    return ((of.image * static_cast<std::size_t>(height) + static_cast<std::size_t>(row)) *
                static_cast<std::size_t>(width) +
            static_cast<std::size_t>(column)) *
               channels +
           of.channel;
  }
};

/// How windows lie along rows, and along columns.
struct Windows {
  int kernel;
  int stride;
  int padding;

  explicit Windows(const models::Window& window)
      : kernel(static_cast<int>(window.kernel)),
        stride(static_cast<int>(window.stride)),
        padding(static_cast<int>(window.padding)) {}

  /// What a window covers of `size` pixels.
  TROUPE_HOST_DEVICE Span covered_by(int window, int size) const {
    const int first = window * stride - padding;
    const int last = first + kernel;
    return {first < 0 ? 0 : first, last < size ? last : size};
  }
  /// Which of `count` windows cover a pixel.
  TROUPE_HOST_DEVICE Span covering(int pixel, int count) const {
    const int reach = pixel + padding;
    const int first = reach < kernel ? 0 : (reach - kernel) / stride + 1;
    const int last = reach / stride + 1;
    return {first, last < count ? last : count};
  }
};

}  // namespace troupe::cuda
