#include "troupe/layers/positions.hpp"

#include <algorithm>
#include <cstring>

#include "models/cpu/layers/sequence/sequence.hpp"

namespace troupe::cpu {
namespace {

/// Adds the first rows of the weight to each sample.
class Positions final : public Operation {
 public:
  Positions(const PlacedLayer& layer, std::int64_t batch) : layer_(layer), batch_(batch) {}

  StageTraits traits() const override { return {.input_gradient_in_place = true, .adds_weight_gradient = true}; }

  void forward(const ForwardOperands& at) override {
    std::memcpy(at.output, at.input, layer_.output.bytes(batch_));
    for (std::int64_t sample = 0; sample < batch_; ++sample)
      accumulate(at.weights, static_cast<float*>(at.output) + sample * floats(), floats());
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.keeps_tensors) return;
    if (!at.adds_weight_gradient) std::fill_n(at.gradient, layer_.parameters.channels, 0.0F);
    clear_tensor_padding(layer_, at.gradient);
    for (std::int64_t sample = 0; sample < batch_; ++sample)
      accumulate(static_cast<const float*>(at.output_gradient) + sample * floats(), at.gradient, floats());
  }

 private:
  std::int64_t floats() const { return layer_.output.size(); }

  const PlacedLayer& layer_;
  std::int64_t batch_;
};

}  // namespace
}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Positions::on_cpu() const {
  return std::make_unique<cpu::SequenceKernels<cpu::Positions>>();
}

}  // namespace troupe::models
