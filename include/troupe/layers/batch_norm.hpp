#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `batch_norm` returns.
class BatchNorm final : public LayerSpec {
 public:
  std::string kind() const override { return "batch-norm"; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  bool is_batch_dependent() const override { return true; }
  Folding folding() const override { return {.takes_relu = true, .takes_relu_for_free = true, .takes_addend = true}; }
  void check_batch(const SampleShape& input, std::int64_t batch_size) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;
};

/// Returns a layer that normalizes each channel by the mean and variance of the shard's batch (epsilon 1e-5), and then
/// scales and shifts the channel by learned numbers. In evaluations, each channel is normalized by its running mean and
/// variance (momentum 0.1) instead, which are computed from the samples of all shards.
Layer batch_norm();

}  // namespace troupe::models
