#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `flatten` returns.
class Flatten final : public LayerSpec {
 public:
  std::string kind() const override { return "flatten"; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  Folding folding() const override { return {.is_view = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that converts an image to flat features, one for each float.
Layer flatten();

}  // namespace troupe::models
