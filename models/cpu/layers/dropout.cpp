#include "troupe/layers/dropout.hpp"

#include <cstring>
#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/devices/dropout_random.hpp"

namespace troupe::cpu {

namespace {

/// Computes dropout. The backward pass draws the random numbers of the forward pass again, so that they need not be
/// stored.
class Dropout final : public Operation {
 public:
  Dropout(const PlacedLayer& layer, std::int64_t batch)
      : layout_(layer.output),
        channels_(layer.planned.output.channels),
        adds_(layer.planned.inputs.size() > 1),
        is_sequence_(layer.planned.output.sequence),
        batch_(batch),
        probability_(static_cast<float>(spec_of<models::Dropout>(layer).probability())),
        factors_(static_cast<std::size_t>(layer.planned.output.size())) {}

  StageTraits traits() const override { return {.input_gradient_in_place = !adds_}; }

  void forward(const ForwardOperands& at) override {
    apply_if_training(at.context, at.input, at.output);
    if (adds_) cpu::accumulate(at.addend, at.output, layout_, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr) apply_if_training(at.context, at.output_gradient, at.input_gradient);
  }

 private:
  void apply_if_training(const BatchContext& context, const void* from, void* to) {
    if (context.training)
      apply(context, from, to);
    else if (from != to)
      std::memcpy(to, from, layout_.bytes(batch_));
  }

  void apply(const BatchContext& context, const void* from, void* to) {
    Random random = dropout_random(context);
    for (std::int64_t sample = 0; sample < batch_; ++sample) {
      for (float& factor : factors_) factor = random.uniform() < probability_ ? 0.0F : 1 / (1 - probability_);
      if (layout_.element == Element::f32)
        scale(sample, static_cast<const float*>(from), static_cast<float*>(to));
      else
        scale(sample, static_cast<const Bfloat16*>(from), static_cast<Bfloat16*>(to));
    }
  }

  template <class T>
  void scale(std::int64_t sample, const T* from, T* to) const {
    std::int64_t at = sample * layout_.size();
    for (std::int64_t block = 0; block < layout_.channels; block += layout_.inner)
      for (std::int64_t pixel = 0; pixel < layout_.pixels(); ++pixel)
        for (std::int64_t channel = block; channel < block + layout_.inner; ++channel, ++at) {
          const auto index = static_cast<std::size_t>(is_sequence_ ? pixel * layout_.channels + channel
                                                                   : channel * layout_.pixels() + pixel);
          store(channel < channels_ ? to_float(from[at]) * factors_[index] : 0.0F, to[at]);
        }
  }

  Layout layout_;
  std::int64_t channels_;  ///< number of channels without padding
  bool adds_;              ///< whether a second input is added to the output
  bool is_sequence_;
  std::int64_t batch_;
  float probability_;
  std::vector<float> factors_;  ///< factor of each value of a sample (0 or 1 / (1 - probability)), row-major
};

class DropoutKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Dropout>(layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Dropout::on_cpu() const { return std::make_unique<cpu::DropoutKernels>(); }

}  // namespace troupe::models
