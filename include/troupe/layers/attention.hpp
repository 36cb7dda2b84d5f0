#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// Options of `attention`.
struct AttentionOptions {
  std::int64_t heads = 1;  ///< must divide the channels of the output
  bool causal = true;      ///< each position attends to itself and earlier positions only
  /// Probability with which, in training, each weight of a position is set to zero. 0 (default): no dropout.
  double dropout = 0;
};

/// The description of the layer that `attention` returns.
class Attention final : public LayerSpec {
 public:
  explicit Attention(const AttentionOptions& options) : options_(options) {}

  const AttentionOptions& options() const { return options_; }

  std::string kind() const override { return "attention"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  double flops(const SampleShape& input, const SampleShape& output) const override;
  bool is_batch_dependent() const override { return options_.dropout > 0; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  AttentionOptions options_;
};

/// Returns a layer that computes scaled dot-product attention with several heads (Vaswani and others, "Attention is all
/// you need", 2017). Each position of its input contains queries, keys and values one after the other, of the same
/// number of channels each, as from linear(3 * channels). Each head takes consecutive channels of all three. The output
/// has as many channels as the queries.
Layer attention(const AttentionOptions& options);

}  // namespace troupe::models
