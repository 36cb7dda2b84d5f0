#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

class Gelu final : public LayerSpec {
 public:
  std::string kind() const override { return "GELU"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// x times the share of a standard normal distribution below x, by the error function (Hendrycks and Gimpel, "Gaussian
/// error linear units", 2016).
Layer gelu();

}  // namespace troupe::models
