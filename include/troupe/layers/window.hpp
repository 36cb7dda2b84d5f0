#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// A square window that slides over images.
struct Window {
  std::int64_t kernel = 1;  ///< height and width in pixels, at most 255
  std::int64_t stride = 1;  ///< in pixels
  /// Zeros on each side, in pixels; less than `kernel`.
  std::int64_t padding = 0;

  /// Returns true if the positions of the window neither overlap nor reach over the edge.
  bool is_plain() const { return stride == kernel && padding == 0; }
  /// Returns the shape of an image with one pixel for each position of the window.
  /// @throws Error invalid_argument if the window does not fit; see LayerSpec::output.
  SampleShape slide(const SampleShape& input, std::int64_t channels) const;
  /// Does the same for pooling, which keeps the number of channels. The padding must be at most half of the kernel.
  SampleShape pool(const SampleShape& input) const;
  /// See LayerSpec::numbers.
  std::map<std::string, double> numbers() const;
  /// Returns the rows or columns of padding after the input that the last position of the window covers. It is less
  /// than `padding`, or negative, if the last stride leaves some over.
  std::int64_t far_padding(std::int64_t input, std::int64_t output) const {
    return (output - 1) * stride + kernel - input - padding;
  }
};

/// Options of a pooling layer, named as in PyTorch: `max_pool2d({.kernel = 3, .stride = 2, .padding = 1})`.
struct PoolingOptions {
  std::int64_t kernel = 2;  ///< height and width in pixels, at most 255
  std::int64_t stride = 0;  ///< in pixels; 0 (default): the kernel
  /// Zeros on each side, in pixels; at most half of the kernel.
  std::int64_t padding = 0;

  /// Returns the window of these options.
  Window window() const { return {.kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding}; }
};

}  // namespace troupe::models
