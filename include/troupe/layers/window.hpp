#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// A square window that slides over images.
struct Window {
  std::int64_t kernel = 1;   ///< pixels, at most 255
  std::int64_t stride = 1;   ///< pixels
  std::int64_t padding = 0;  ///< zeros on each side, fewer than the kernel's pixels

  /// Windows that neither overlap nor reach over the edge.
  bool is_plain() const { return stride == kernel && padding == 0; }
  /// An image with a pixel for each place of the window. @throws Error invalid_argument, see LayerSpec::output.
  SampleShape slide(const SampleShape& input, std::int64_t channels) const;
  /// The same for poolings, which keep channels and want no window that is half padding.
  SampleShape pool(const SampleShape& input) const;
  /// See LayerSpec::numbers.
  std::map<std::string, double> numbers() const;
  /// Rows or columns of padding behind the input that the last place of the window reaches; the last stride may leave
  /// some over.
  std::int64_t far_padding(std::int64_t input, std::int64_t output) const {
    return (output - 1) * stride + kernel - input - padding;
  }
};

/// How a pooling slides over images, in PyTorch's words: `max_pool2d({.kernel = 3, .stride = 2, .padding = 1})`.
struct PoolingOptions {
  std::int64_t kernel = 2;   ///< pixels, at most 255
  std::int64_t stride = 0;   ///< pixels; 0: the kernel's
  std::int64_t padding = 0;  ///< zeros on each side, at most half of the kernel's pixels

  Window window() const { return {.kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding}; }
};

}  // namespace troupe::models
