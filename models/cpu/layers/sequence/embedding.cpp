#include "troupe/layers/embedding.hpp"

#include <algorithm>
#include <string>

#include "models/cpu/layers/sequence/sequence.hpp"

namespace troupe::cpu {
namespace {

/// Copies a row of the weight for each token. Its gradient adds the gradients of the positions to the rows, in the
/// order of the positions.
class Embedding final : public Operation {
 public:
  Embedding(const PlacedLayer& layer, std::int64_t batch)
      : layer_(layer), batch_(batch), vocabulary_(spec_of<models::Embedding>(layer).vocabulary()) {}

  StageTraits traits() const override { return {.reads_input = true, .adds_weight_gradient = true}; }

  void forward(const ForwardOperands& at) override {
    auto* to = static_cast<float*>(at.output);
    for_each_token(at.input, [&](std::int64_t token) { to = std::copy_n(at.weights + token * width(), width(), to); });
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.keeps_tensors) return;
    // A layer that shares the weight runs its backward pass before this one, and writes all of the gradient.
    if (!layer_.planned.is_shared && !at.adds_weight_gradient)
      std::fill_n(at.gradient, layer_.parameters.channels, 0.0F);
    clear_tensor_padding(layer_, at.gradient);
    const auto* from = static_cast<const float*>(at.output_gradient);
    for_each_token(at.input, [&](std::int64_t token) {
      accumulate(from, at.gradient + token * width(), width());
      from += width();
    });
  }

 private:
  std::int64_t width() const { return layer_.output.channels; }

  template <class Use>
  void for_each_token(const void* input, const Use& use) const {
    const auto* const tokens = static_cast<const float*>(input);
    const std::int64_t positions = layer_.output.height;
    for (std::int64_t sample = 0; sample < batch_; ++sample)
      for (std::int64_t position = 0; position < positions; ++position) {
        const float token = tokens[sample * layer_.input.size() + position];
        if (!(token >= 0 && token < static_cast<float>(vocabulary_))) refuse(token, position);
        use(static_cast<std::int64_t>(token));
      }
  }

  [[noreturn]] void refuse(float token, std::int64_t position) const {
    throw Error(ErrorCode::bad_data, "token " + std::to_string(token) + " at position " + std::to_string(position) +
                                         " is not in the vocabulary of " + std::to_string(vocabulary_) + " tokens");
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  std::int64_t vocabulary_;
};

}  // namespace
}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Embedding::on_cpu() const {
  return std::make_unique<cpu::SequenceKernels<cpu::Embedding>>();
}

}  // namespace troupe::models
