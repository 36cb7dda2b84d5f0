#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `global_average_pool` returns.
class GlobalAveragePool final : public LayerSpec {
 public:
  std::string kind() const override { return "global average pooling"; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that computes the mean of each channel over all pixels. The output has one flat feature for each
/// channel.
Layer global_average_pool();

}  // namespace troupe::models
