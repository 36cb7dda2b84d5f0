#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// How `gelu` computes the standard normal distribution function.
enum class GeluForm : std::uint8_t {
  erf,   ///< by the error function, without approximation
  tanh,  ///< approximately, by the hyperbolic tangent, as in GPT-2
};

/// The description of the layer that `gelu` returns.
class Gelu final : public LayerSpec {
 public:
  explicit Gelu(GeluForm form) : form_(form) {}

  GeluForm form() const { return form_; }

  std::string kind() const override { return "GELU"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  GeluForm form_;
};

/// Returns a layer that computes the Gaussian error linear unit for each value x: x times the standard normal
/// distribution function of x (Hendrycks and Gimpel, "Gaussian error linear units", 2016).
Layer gelu(GeluForm form = GeluForm::erf);

}  // namespace troupe::models
