#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

/// The layer of `dropout`.
class Dropout final : public LayerSpec {
 public:
  explicit Dropout(double probability) : probability_(probability) {}

  double probability() const { return probability_; }

  std::string kind() const override { return "dropout"; }
  std::map<std::string, double> numbers() const override { return {{"probability", probability_}}; }
  SampleShape output(std::span<const SampleShape> inputs) const override;
  bool is_batch_dependent() const override { return true; }
  Folding folding() const override { return {.element_wise = true}; }
  std::unique_ptr<cpu::LayerKernels> on_cpu() const override;

 private:
  double probability_;
};

/// Returns a layer that in training sets each value to zero with this probability and divides the other values by 1 -
/// probability. The choice of values depends only on (seed, shard, step) and the number of the layer. In evaluations
/// the output is the input.
/// @param probability in [0, 1).
Layer dropout(double probability = 0.5);

}  // namespace troupe::models
