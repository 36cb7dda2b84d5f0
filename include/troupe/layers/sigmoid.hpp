#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `sigmoid` returns.
class Sigmoid final : public LayerSpec {
 public:
  std::string kind() const override { return "sigmoid"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the logistic function of each value x: 1 / (1 + exp(-x)).
Layer sigmoid();

}  // namespace troupe::models
