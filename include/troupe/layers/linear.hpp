#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `linear` returns. The first weights and biases are uniform in +-1 / sqrt(fan in),
/// as in PyTorch.
class Linear final : public LayerSpec {
 public:
  explicit Linear(std::int64_t outputs) : outputs_(outputs) {}

  /// Returns the number of output features.
  std::int64_t outputs() const { return outputs_; }

  std::string kind() const override { return "linear"; }
  std::map<std::string, double> numbers() const override { return {{"outputs", static_cast<double>(outputs_)}}; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  Folding folding() const override { return {.takes_relu = true}; }
  double flops(const SampleShape& input, const SampleShape& output) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  std::int64_t outputs_;
};

/// Returns a fully connected layer with bias. Its input must be flat (see `flatten`).
/// @param outputs number of output features.
Layer linear(std::int64_t outputs);

}  // namespace troupe::models
