#pragma once

#include "troupe/layers/window.hpp"

namespace troupe::models {

/// The description of the layer that `avg_pool2d` returns.
class AveragePool final : public LayerSpec {
 public:
  explicit AveragePool(const Window& window) : window_(window) {}

  const Window& window() const { return window_; }

  std::string kind() const override { return "average pooling"; }
  std::map<std::string, double> numbers() const override { return window_.numbers(); }
  SampleShape output(std::span<const SampleShape> inputs) const override { return window_.pool(inputs[0]); }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  Window window_;
};

/// Returns a layer that computes the mean of each window, like PyTorch's AvgPool2d. The zeros of the padding count as
/// values of the window.
Layer avg_pool2d(const PoolingOptions& options);

}  // namespace troupe::models
