#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `tanh` returns.
class Tanh final : public LayerSpec {
 public:
  std::string kind() const override { return "tanh"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the hyperbolic tangent of each value.
Layer tanh();

}  // namespace troupe::models
