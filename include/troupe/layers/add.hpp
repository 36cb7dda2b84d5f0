#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `add` returns.
class Add final : public LayerSpec {
 public:
  std::string kind() const override { return "add"; }
  std::size_t num_inputs() const override { return 2; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  Folding folding() const override { return {.is_sum = true, .takes_relu = true, .takes_relu_for_free = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that adds two inputs of the same shape.
Layer add();

}  // namespace troupe::models
