#pragma once

#include "troupe/layers/window.hpp"

namespace troupe::models {

/// The description of the layer that `max_pool2d` returns.
class MaxPool final : public LayerSpec {
 public:
  explicit MaxPool(const Window& window) : window_(window) {}

  const Window& window() const { return window_; }

  std::string kind() const override { return "max-pooling"; }
  std::map<std::string, double> numbers() const override { return window_.numbers(); }
  SampleShape output(std::span<const SampleShape> inputs) const override { return window_.pool(inputs[0]); }
  Folding folding() const override {
    return {.takes_relu = window_.is_plain(), .commutes_with_relu = window_.is_plain()};
  }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  Window window_;
};

/// Returns a layer that computes the maximum of each window, like PyTorch's MaxPool2d.
Layer max_pool2d(const PoolingOptions& options);

}  // namespace troupe::models
