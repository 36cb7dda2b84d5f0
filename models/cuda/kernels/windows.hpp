#pragma once

#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/window_pool.hpp"

namespace troupe::cuda {

/// A range of rows or columns, from `first` up to, but not including, `last`.
struct Span {
  int first;
  int last;
};

/// A pack of channels of one pixel: the number of the image, the position of the pixel, and the first channel of the
/// pack.
struct PixelIndex {
  std::size_t image;
  int row;
  int column;
  std::uint32_t channel;
};

/// The size of images in the order [height][width][channels].
struct ImageSize {
  int height;
  int width;
  std::uint32_t channels;
  std::uint32_t packs;  ///< number of packs of channels

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
    PixelIndex at = pixel_of_row(by_pack.quotient);
    at.channel = by_pack.remainder * kCount;
    return at;
  }
  /// Returns the first pack of channels of a pixel. `number` is the number of the pixel among the pixels of all images.
  TROUPE_HOST_DEVICE PixelIndex pixel_of_row(std::size_t number) const {
    const Divided by_column = divide(number, static_cast<std::uint32_t>(width));
    const Divided by_row = divide(by_column.quotient, static_cast<std::uint32_t>(height));
    return {by_row.quotient, static_cast<int>(by_row.remainder), static_cast<int>(by_column.remainder), 0};
  }
  TROUPE_HOST_DEVICE bool has(int row, int column) const {
    return row >= 0 && row < height && column >= 0 && column < width;
  }
  /// Returns the number, among the pixels of all images, of the pixel at (row, column) in image `of.image`.
  TROUPE_HOST_DEVICE std::size_t number(const PixelIndex& of, int row, int column) const {
    return (of.image * static_cast<std::size_t>(height) + static_cast<std::size_t>(row)) *
               static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }
  /// Returns the index of the element for channel `of.channel` of the pixel at (row, column) in image `of.image`.
  TROUPE_HOST_DEVICE std::size_t position(const PixelIndex& of, int row, int column) const {
    return number(of, row, column) * channels + of.channel;
  }
};

/// The positions of windows in one dimension: rows or columns.
struct Windows {
  int kernel;
  int stride;
  int padding;

  explicit Windows(const models::Window& window)
      : kernel(static_cast<int>(window.kernel)),
        stride(static_cast<int>(window.stride)),
        padding(static_cast<int>(window.padding)) {}

  /// Returns the first row or column of window number `window`. The result is negative if it is in the padding.
  TROUPE_HOST_DEVICE int first(int window) const { return window * stride - padding; }
  /// Returns the rows or columns of window number `window` that are inside an image of `size` rows or columns.
  TROUPE_HOST_DEVICE Span covered_by(int window, int size) const {
    const int begin = first(window);
    const int end = begin + kernel;
    return {begin < 0 ? 0 : begin, end < size ? end : size};
  }
  /// Returns the number of the pixel at (row, column) of the image in a window, counted row by row from 0.
  template <class Place>
  TROUPE_HOST_DEVICE Place place(int window_row, int window_column, int row, int column) const {
    return static_cast<Place>((row - first(window_row)) * kernel + column - first(window_column));
  }
  /// Returns the range of those windows, among windows 0 to count - 1, that cover the row or column `pixel`.
  TROUPE_HOST_DEVICE Span covering(int pixel, int count) const {
    const int reach = pixel + padding;
    const int first = reach < kernel ? 0 : (reach - kernel) / stride + 1;
    const int last = reach / stride + 1;
    return {first, last < count ? last : count};
  }
};

}  // namespace troupe::cuda
