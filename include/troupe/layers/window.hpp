#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// A square window that slides over images.
struct Window {
  std::int64_t kernel = 1;  ///< height and width in pixels, at most 255
  std::int64_t stride = 1;  ///< in pixels
  /// Zeros on each side, in pixels; less than `kernel`.
  std::int64_t padding = 0;

  /// Returns true if the positions of the window lie side by side, without overlap or gap, and there is no padding.
  bool is_plain() const { return stride == kernel && padding == 0; }
  /// Returns the output shape for images of shape `input`: `channels` channels with one pixel for each position of the
  /// window.
  /// @throws Error invalid_argument if the window does not fit; see LayerSpec::output.
  SampleShape slide(const SampleShape& input, std::int64_t channels) const;
  /// Does the same for pooling, which keeps the number of channels. The padding must be at most half of the kernel.
  SampleShape pool(const SampleShape& input) const;
  /// See LayerSpec::numbers.
  std::map<std::string, double> numbers() const;
  /// Returns how many rows or columns after the end of the input the last position of the window covers. If the input
  /// is not a whole number of strides, the result is less than `padding`. A negative result means that this many rows
  /// or columns at the end of the input are not covered.
  /// @param input rows or columns of the input.
  /// @param output rows or columns of the output.
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
