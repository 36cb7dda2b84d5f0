#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layers that `layer_norm` and `rms_norm` return. The first weights are 1, the first biases 0.
class PositionNorm final : public LayerSpec {
 public:
  enum class Kind : std::uint8_t { layer, rms };
  explicit PositionNorm(Kind kind, bool bias) : kind_(kind), bias_(bias) {}

  Kind norm() const { return kind_; }
  bool has_bias() const { return bias_; }

  std::string kind() const override { return kind_ == Kind::layer ? "layer norm" : "RMS norm"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  Kind kind_;
  bool bias_;
};

/// Returns a layer that normalises each position of a sequence on its own: (x - mean) / sqrt(variance + 1e-5) * weight
/// + bias, with mean and variance over the channels (Ba and others, "Layer normalization", 2016).
/// @param bias false: without bias.
Layer layer_norm(bool bias = true);

/// Returns a layer that divides each position of a sequence by its root mean square: x / sqrt(mean of x^2 + 1e-5) *
/// weight (Zhang and Sennrich, "Root mean square layer normalization", 2019).
Layer rms_norm();

}  // namespace troupe::models
