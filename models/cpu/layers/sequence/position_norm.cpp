#include <algorithm>
#include <cmath>

#include "models/cpu/layers/sequence/sequence.hpp"
#include "models/row_maths.hpp"
#include "troupe/layers/layer_norm.hpp"

namespace troupe::cpu {
namespace {

using Kind = models::PositionNorm::Kind;

/// The mean of a row (0 for an RMS norm), and the factor by which differences from it are multiplied.
struct Moments {
  float mean = 0;
  float factor = 0;
};

TROUPE_INLINE Moments moments_of(Kind kind, const float* row, std::int64_t width) {
  Moments found;
  if (kind == Kind::layer)
    found.mean = sum_row(width, [=](std::int64_t i) { return row[i]; }) / static_cast<float>(width);
  const float mean = found.mean;
  const float squares = sum_row(width, [=](std::int64_t i) { return (row[i] - mean) * (row[i] - mean); });
  found.factor = 1 / std::sqrt(squares / static_cast<float>(width) + static_cast<float>(kNormEpsilon));
  return found;
}

/// A batch as a matrix.
struct RowsShape {
  Kind kind;
  std::int64_t rows;
  std::int64_t width;
};

TROUPE_CLONES void norm_forward(const RowsShape& shape, const float* input, const float* weight, const float* bias,
                                float* output) {
  for (std::int64_t row = 0; row < shape.rows; ++row, input += shape.width, output += shape.width) {
    const Moments at = moments_of(shape.kind, input, shape.width);
    for (std::int64_t i = 0; i < shape.width; ++i)
      output[i] = (input[i] - at.mean) * at.factor * weight[i] + (bias == nullptr ? 0 : bias[i]);
  }
}

/// Adds the gradients of all rows to those of weight and bias.
TROUPE_CLONES void norm_weights_backward(const RowsShape& shape, const float* input, const float* gradient,
                                         float* weight, float* bias) {
  for (std::int64_t row = 0; row < shape.rows; ++row, input += shape.width, gradient += shape.width) {
    const Moments at = moments_of(shape.kind, input, shape.width);
    for (std::int64_t i = 0; i < shape.width; ++i) weight[i] += gradient[i] * ((input[i] - at.mean) * at.factor);
    if (bias == nullptr) continue;
    for (std::int64_t i = 0; i < shape.width; ++i) bias[i] += gradient[i];
  }
}

/// Writes the gradient of the input to `to`, or adds it.
TROUPE_CLONES void norm_input_backward(const RowsShape& shape, const float* input, const float* gradient,
                                       const float* weight, bool adds, float* to) {
  const auto width = static_cast<float>(shape.width);
  for (std::int64_t row = 0; row < shape.rows;
       ++row, input += shape.width, gradient += shape.width, to += shape.width) {
    const Moments at = moments_of(shape.kind, input, shape.width);
    const auto normed = [=](std::int64_t i) __attribute__((always_inline)) { return (input[i] - at.mean) * at.factor; };
    const float along =
        sum_row(shape.width, [=](std::int64_t i) { return gradient[i] * weight[i] * normed(i); }) / width;
    const float mean = shape.kind == Kind::rms
                           ? 0
                           : sum_row(shape.width, [=](std::int64_t i) { return gradient[i] * weight[i]; }) / width;
    for (std::int64_t i = 0; i < shape.width; ++i) {
      const float change = at.factor * (gradient[i] * weight[i] - mean - normed(i) * along);
      to[i] = (adds ? to[i] : 0) + change;
    }
  }
}

class PositionNorm final : public Operation {
 public:
  PositionNorm(const PlacedLayer& layer, std::int64_t batch)
      : layer_(layer),
        bias_(spec_of<models::PositionNorm>(layer).has_bias()),
        shape_{spec_of<models::PositionNorm>(layer).norm(), batch * layer.output.height, layer.output.channels} {}

  StageTraits traits() const override {
    return {.reads_input = true, .adds_input_gradient = true, .adds_weight_gradient = true};
  }

  void forward(const ForwardOperands& at) override {
    norm_forward(shape_, static_cast<const float*>(at.input), at.weights, bias_ ? at.weights + shape_.width : nullptr,
                 static_cast<float*>(at.output));
  }

  void backward(const BackwardOperands& at) override {
    const auto* const input = static_cast<const float*>(at.input);
    const auto* const gradient = static_cast<const float*>(at.output_gradient);
    if (!layer_.planned.keeps_tensors) {
      if (!at.adds_weight_gradient) std::fill_n(at.gradient, layer_.parameters.channels, 0.0F);
      clear_tensor_padding(layer_, at.gradient);
      norm_weights_backward(shape_, input, gradient, at.gradient, bias_ ? at.gradient + shape_.width : nullptr);
    }
    if (at.input_gradient != nullptr)
      norm_input_backward(shape_, input, gradient, at.weights, at.adds_input_gradient,
                          static_cast<float*>(at.input_gradient));
  }

 private:
  const PlacedLayer& layer_;
  bool bias_;
  RowsShape shape_;
};

}  // namespace
}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> PositionNorm::on_cpu() const {
  return std::make_unique<cpu::SequenceKernels<cpu::PositionNorm>>();
}

}  // namespace troupe::models
