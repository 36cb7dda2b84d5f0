#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `positions` returns. The first values are normal.
class Positions final : public LayerSpec {
 public:
  Positions(std::int64_t count, double deviation) : count_(count), deviation_(deviation) {}

  std::string kind() const override { return "positions"; }
  std::map<std::string, double> numbers() const override;
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override;
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  std::int64_t count_;
  double deviation_;
};

/// Returns a layer that adds a learned vector to each position of a sequence: row i of its tensor "weight" (count x
/// channels) to position i.
/// @param count number of positions; at least that of the sequence.
/// @param deviation standard deviation of the first values. Default: 1, as in PyTorch's Embedding.
Layer positions(std::int64_t count, double deviation = 1);

}  // namespace troupe::models
