#include "models/cpu/layers/sequence/position_linear.hpp"

#include <algorithm>

#include "models/cpu/layers/sequence/sequence.hpp"
#include "runtime/simd.hpp"
#include "troupe/layers/linear.hpp"

namespace troupe::cpu {
namespace {

/// Sets each row of `to` to the bias plus, if `addend` is not null, the row of `addend`.
TROUPE_CLONES void start_rows(const float* bias, const float* addend, std::int64_t rows, std::int64_t width,
                              float* to) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t at = row * width + i;
      to[at] = (bias == nullptr ? 0 : bias[i]) + (addend == nullptr ? 0 : addend[at]);
    }
}

TROUPE_CLONES void add_rows(const float* from, std::int64_t rows, std::int64_t width, float* to) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < width; ++i) to[i] += from[row * width + i];
}

class PositionLinear final : public Operation {
 public:
  PositionLinear(const PlacedLayer& layer, std::int64_t batch)
      : layer_(layer), batch_(batch), rows_(batch * layer.output.height) {}

  StageTraits traits() const override {
    return {.reads_input = learns(), .reads_output = layer_.planned.relu, .adds_input_gradient = true, .adds_weight_gradient = true};
  }

  void forward(const ForwardOperands& at) override {
    auto* const to = static_cast<float*>(at.output);
    const bool starts = has_bias() || at.addend != nullptr;
    if (starts)
      start_rows(has_bias() ? at.weights + bias_offset() : nullptr, static_cast<const float*>(at.addend), rows_,
                 outputs(), to);
    product(rows_, outputs(), inputs(), 1, {static_cast<const float*>(at.input), inputs()},
            {at.weights, inputs(), /*transposed=*/true}, starts ? 1 : 0, to, outputs());
    if (layer_.planned.relu) relu_forward(at.output, layer_.output, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    const auto* const gradient = static_cast<const float*>(at.output_gradient);
    if (learns()) weights_backward(at, gradient);
    if (at.input_gradient != nullptr)
      product(rows_, inputs(), outputs(), 1, {gradient, outputs()}, {at.weights, inputs()},
              at.adds_input_gradient ? 1 : 0, static_cast<float*>(at.input_gradient), inputs());
  }

 private:
  void weights_backward(const BackwardOperands& at, const float* gradient) const {
    product(outputs(), inputs(), rows_, 1, {gradient, outputs(), /*transposed=*/true},
            {static_cast<const float*>(at.input), inputs()}, at.adds_weight_gradient ? 1 : 0, at.gradient, inputs());
    if (layer_.planned.shares >= 0) return;  // the padding is that of the other layer
    if (has_bias()) {
      float* const bias = at.gradient + bias_offset();
      if (!at.adds_weight_gradient) std::fill_n(bias, outputs(), 0.0F);
      add_rows(gradient, rows_, outputs(), bias);
    }
    clear_tensor_padding(layer_, at.gradient);
  }

  bool learns() const { return !layer_.planned.keeps_tensors; }
  bool has_bias() const { return spec_of<models::Linear>(layer_).options().bias; }
  std::int64_t inputs() const { return layer_.input.channels; }
  std::int64_t outputs() const { return layer_.output.channels; }
  std::int64_t bias_offset() const { return inputs() * outputs(); }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  std::int64_t rows_;
};

}  // namespace

std::unique_ptr<Operation> make_position_linear(const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<PositionLinear>(layer, batch);
}

}  // namespace troupe::cpu
