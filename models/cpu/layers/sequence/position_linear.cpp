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
      : layer_(layer), linear_(layer), batch_(batch), rows_(batch * layer.output.height) {}

  StageTraits traits() const override {
    return {.reads_input = linear_.learns(),
            .reads_output = layer_.planned.relu,
            .adds_input_gradient = true,
            .adds_weight_gradient = true};
  }

  void forward(const ForwardOperands& at) override {
    linear_.forward(static_cast<const float*>(at.input), at.weights, static_cast<const float*>(at.addend), rows_,
                    static_cast<float*>(at.output));
    if (layer_.planned.relu) relu_forward(at.output, layer_.output, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    const auto* const gradient = static_cast<const float*>(at.output_gradient);
    if (linear_.learns())
      linear_.weights_backward(static_cast<const float*>(at.input), gradient, rows_, at.adds_weight_gradient,
                               at.gradient);
    if (at.input_gradient != nullptr)
      linear_.input_backward(gradient, at.weights, rows_, at.adds_input_gradient,
                             static_cast<float*>(at.input_gradient));
  }

 private:
  const PlacedLayer& layer_;
  LinearRows linear_;
  std::int64_t batch_;
  std::int64_t rows_;
};

}  // namespace

LinearRows::LinearRows(const PlacedLayer& layer)
    : layer_(layer), bias_(spec_of<models::Linear>(layer).options().bias) {}

void LinearRows::forward(const float* input, const float* weights, const float* addend, std::int64_t rows,
                         float* to) const {
  const bool starts = bias_ || addend != nullptr;
  if (starts) start_rows(bias_ ? weights + bias_offset() : nullptr, addend, rows, outputs(), to);
  product(rows, outputs(), inputs(), 1, {input, inputs()}, {weights, inputs(), /*transposed=*/true}, starts ? 1 : 0, to,
          outputs());
}

void LinearRows::weights_backward(const float* input, const float* output_gradient, std::int64_t rows, bool adds,
                                  float* to) const {
  product(outputs(), inputs(), rows, 1, {output_gradient, outputs(), /*transposed=*/true}, {input, inputs()},
          adds ? 1 : 0, to, inputs());
  if (layer_.planned.shares >= 0) return;  // the padding is that of the other layer
  if (bias_) {
    if (!adds) std::fill_n(to + bias_offset(), outputs(), 0.0F);
    add_rows(output_gradient, rows, outputs(), to + bias_offset());
  }
  clear_tensor_padding(layer_, to);
}

void LinearRows::input_backward(const float* output_gradient, const float* weights, std::int64_t rows, bool adds,
                                float* to) const {
  product(rows, inputs(), outputs(), 1, {output_gradient, outputs()}, {weights, inputs()}, adds ? 1 : 0, to, inputs());
}

std::unique_ptr<Operation> make_position_linear(const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<PositionLinear>(layer, batch);
}

}  // namespace troupe::cpu
