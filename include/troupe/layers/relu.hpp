#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `relu` returns.
class Relu final : public LayerSpec {
 public:
  std::string kind() const override { return "ReLU"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.is_relu = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the rectified linear unit of each value x: max(x, 0).
Layer relu();

}  // namespace troupe::models
