#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `embedding` returns. The first values are normal.
class Embedding final : public LayerSpec {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t channels, double deviation)
      : vocabulary_(vocabulary), channels_(channels), deviation_(deviation) {}

  /// Returns the number of different tokens.
  std::int64_t vocabulary() const { return vocabulary_; }

  std::string kind() const override { return "embedding"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  bool reads_tokens() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  std::int64_t vocabulary_;
  std::int64_t channels_;
  double deviation_;
};

/// Returns a layer that replaces each token of a sample by a row of its tensor "weight" (vocabulary x channels), and so
/// makes a sequence. Its input must be the input of the network: tokens (DataInfo::vocabulary).
/// @param vocabulary number of different tokens.
/// @param channels values of each position of the sequence.
/// @param deviation standard deviation of the first values. Default: 1, as in PyTorch.
Layer embedding(std::int64_t vocabulary, std::int64_t channels, double deviation = 1);

}  // namespace troupe::models
