#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// A square window that slides over the pixels of an image, as in convolutions and pooling layers.
struct Window {
  std::int64_t kernel = 1;  ///< height and width in pixels, at most 255
  std::int64_t stride = 1;  ///< in pixels
  /// Number of rows and columns of zeros that are added on each side of the image; less than `kernel`.
  std::int64_t padding = 0;

  /// Returns true if neighbouring positions of the window neither overlap nor leave a gap, and there is no padding.
  bool is_plain() const { return stride == kernel && padding == 0; }
  /// Returns the shape of the output if the window slides over images of shape `input`: `channels` channels with one
  /// pixel for each position of the window.
  /// @throws Error invalid_argument if the window does not fit; see LayerSpec::output.
  SampleShape slide(const SampleShape& input, std::int64_t channels) const;
  /// Returns the shape of the output of a pooling layer with this window, which keeps the number of channels of
  /// `input`.
  /// @throws Error invalid_argument if the window does not fit, or the padding is more than half of the kernel.
  SampleShape pool(const SampleShape& input) const;
  /// Returns the members by name, as LayerSpec::numbers does.
  std::map<std::string, double> numbers() const;
  /// Returns how many rows (or columns) behind the end of the input the last position of the window covers. A negative
  /// result means that this many rows at the end of the input are not covered. The result equals `padding` if the last
  /// position of the window ends exactly at the end of the padded input; otherwise the result is less.
  /// @param input number of rows (or columns) of the input.
  /// @param output number of rows (or columns) of the output.
  std::int64_t far_padding(std::int64_t input, std::int64_t output) const {
    return (output - 1) * stride + kernel - input - padding;
  }
};

/// Options of a pooling layer, named as in PyTorch: `max_pool2d({.kernel = 3, .stride = 2, .padding = 1})`.
struct PoolingOptions {
  std::int64_t kernel = 2;  ///< height and width in pixels, at most 255
  std::int64_t stride = 0;  ///< in pixels; 0 (default): the kernel
  /// Number of rows and columns of zeros that are added on each side of the image; at most half of the kernel.
  std::int64_t padding = 0;

  /// Returns the window that these options describe.
  Window window() const { return {.kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding}; }
};

}  // namespace troupe::models
