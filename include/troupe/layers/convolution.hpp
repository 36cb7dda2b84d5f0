#pragma once

#include "troupe/layers/window.hpp"

namespace troupe::models {

/// The description of the layer that `conv2d` returns. In a layer with bias, the first weights and biases are uniform
/// in +-1 / sqrt(fan in), as in PyTorch. In a layer without bias, the first weights are normal with variance 2 / fan
/// out, as in torchvision's ResNets.
class Convolution final : public LayerSpec {
 public:
  Convolution(std::int64_t outputs, const Window& window, bool bias)
      : outputs_(outputs), window_(window), bias_(bias) {}

  const Window& window() const { return window_; }
  /// Returns the number of output channels.
  std::int64_t outputs() const { return outputs_; }
  bool bias() const { return bias_; }

  std::string kind() const override { return "convolution"; }
  std::string label() const override;
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  Folding folding() const override { return {.takes_relu = true}; }
  double flops(const SampleShape& input, const SampleShape& output) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  std::int64_t outputs_;
  Window window_;
  bool bias_;
};

/// Options of `conv2d`.
struct ConvolutionOptions {
  std::int64_t kernel = 3;  ///< height and width in pixels, at most 255
  std::int64_t stride = 1;  ///< in pixels
  /// Number of rows and columns of zeros that are added on each side of the image; less than `kernel`.
  std::int64_t padding = 0;
  bool bias = true;  ///< if true, a learned bias is added to each channel
};

/// Returns a layer that computes a 2-D convolution, like PyTorch's Conv2d. Example: `conv2d(64, {.kernel = 3, .stride =
/// 2, .padding = 1, .bias = false})`.
/// @param outputs number of output channels.
/// @param options kernel, stride, padding and bias.
Layer conv2d(std::int64_t outputs, const ConvolutionOptions& options);

}  // namespace troupe::models
