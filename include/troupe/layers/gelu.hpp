#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `gelu` returns.
class Gelu final : public LayerSpec {
 public:
  std::string kind() const override { return "GELU"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the Gaussian error linear unit for each value x: x times the standard normal
/// distribution function of x (Hendrycks and Gimpel, "Gaussian error linear units", 2016). The layer computes the
/// distribution function by the error function, without approximation.
Layer gelu();

}  // namespace troupe::models
