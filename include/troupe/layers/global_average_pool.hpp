#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

class GlobalAveragePool final : public LayerSpec {
 public:
  std::string kind() const override { return "global average pooling"; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// The mean of each channel, as flat features.
Layer global_average_pool();

}  // namespace troupe::models
