#pragma once

#include "troupe/layer.hpp"

namespace troupe::models {

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

/// In training, zeroes each value with this probability, in [0, 1), and divides the others by what is left of 1; which
/// ones follows from (seed, shard, step) and the layer alone. In evaluation its output is its input.
Layer dropout(double probability = 0.5);

}  // namespace troupe::models
