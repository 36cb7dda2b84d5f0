#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The layer of `gelu`.
class Gelu final : public LayerSpec {
 public:
  std::string kind() const override { return "GELU"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the Gaussian error linear unit: x times the standard normal distribution function of
/// x. It uses the error function, not an approximation (Hendrycks and Gimpel, "Gaussian error linear units", 2016).
Layer gelu();

}  // namespace troupe::models
