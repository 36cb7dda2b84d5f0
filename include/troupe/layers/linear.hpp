#pragma once

#include <utility>

#include "troupe/layer.hpp"

namespace troupe::models {

/// Options of `linear` for sequences.
struct LinearOptions {
  bool bias = true;
  /// Name of an earlier embedding whose tensor "weight" is also the weight of this layer. The layer must not have a
  /// bias then. Empty (default): the layer has a weight of its own.
  std::string tied = {};
  /// Standard deviation of the first weights, which are normal; the first biases are then 0. 0 (default): weights and
  /// biases are uniform in +-1 / sqrt(fan in), as in PyTorch.
  double deviation = 0;
};

/// The description of the layer that `linear` returns.
class Linear final : public LayerSpec {
 public:
  explicit Linear(std::int64_t outputs, LinearOptions options = {}) : outputs_(outputs), options_(std::move(options)) {}

  /// Returns the number of output features.
  std::int64_t outputs() const { return outputs_; }
  const LinearOptions& options() const { return options_; }

  std::string kind() const override { return "linear"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return options_.tied.empty(); }
  std::string tied_to() const override { return options_.tied; }
  void check_tied(const TensorInfo& tensor, const SampleShape& input) const override;
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  Folding folding() const override { return {.takes_relu = true, .takes_sequence_addend = true}; }
  double flops(const SampleShape& input, const SampleShape& output) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  std::int64_t outputs_;
  LinearOptions options_;
};

/// Returns a fully connected layer. Its input must be flat (see `flatten`), or a sequence: then it computes each
/// position on its own.
/// @param outputs number of output features, or of output channels of each position.
/// @param options for sequences; flat input needs the default options.
Layer linear(std::int64_t outputs, const LinearOptions& options = {});

}  // namespace troupe::models
