#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `swiglu` returns.
class Swiglu final : public LayerSpec {
 public:
  std::string kind() const override { return "SwiGLU"; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that halves the channels of a sequence: with the first half a and the second half b of each
/// position, it computes a * sigmoid(a) * b (Shazeer, "GLU variants improve transformer", 2020).
Layer swiglu();

}  // namespace troupe::models
