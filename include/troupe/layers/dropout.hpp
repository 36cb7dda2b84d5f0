#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The description of the layer that `dropout` returns.
class Dropout final : public LayerSpec {
 public:
  explicit Dropout(double probability) : probability_(probability) {}

  double probability() const { return probability_; }

  std::string kind() const override { return "dropout"; }
  std::map<std::string, double> numbers() const override { return {{"probability", probability_}}; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool is_batch_dependent() const override { return true; }
  Folding folding() const override { return {.element_wise = true, .takes_sequence_addend = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  double probability_;
};

/// Returns a layer that, in training, sets each value to zero with probability `probability` and divides all other
/// values by (1 - probability). The choice of the zeros depends only on (seed, shard, step, micro-batch) and the number
/// of the layer. In evaluations the output is the input.
/// @param probability in [0, 1).
Layer dropout(double probability = 0.5);

}  // namespace troupe::models
