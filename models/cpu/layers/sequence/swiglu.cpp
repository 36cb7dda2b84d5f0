#include "troupe/layers/swiglu.hpp"

#include "models/cpu/layers/sequence/sequence.hpp"
#include "models/row_maths.hpp"

namespace troupe::cpu {
namespace {

TROUPE_CLONES void swiglu_forward(const float* input, std::int64_t rows, std::int64_t width, float* output) {
  for (std::int64_t row = 0; row < rows; ++row, input += 2 * width, output += width)
    for (std::int64_t i = 0; i < width; ++i) output[i] = input[i] * sigmoid_of(input[i]) * input[width + i];
}

TROUPE_CLONES void swiglu_backward(const float* input, const float* gradient, std::int64_t rows, std::int64_t width,
                                   float* to) {
  for (std::int64_t row = 0; row < rows; ++row, input += 2 * width, to += 2 * width, gradient += width)
    for (std::int64_t i = 0; i < width; ++i) {
      const float gate = sigmoid_of(input[i]);
      const float swish = input[i] * gate;
      to[i] = gradient[i] * input[width + i] * (gate + swish * (1 - gate));
      to[width + i] = gradient[i] * swish;
    }
}

class Swiglu final : public Operation {
 public:
  Swiglu(const PlacedLayer& layer, std::int64_t batch)
      : rows_(batch * layer.output.height), width_(layer.output.channels) {}

  StageTraits traits() const override { return {.reads_input = true}; }
  void forward(const ForwardOperands& at) override {
    swiglu_forward(static_cast<const float*>(at.input), rows_, width_, static_cast<float*>(at.output));
  }
  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr)
      swiglu_backward(static_cast<const float*>(at.input), static_cast<const float*>(at.output_gradient), rows_, width_,
                      static_cast<float*>(at.input_gradient));
  }

 private:
  std::int64_t rows_;
  std::int64_t width_;
};

}  // namespace
}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Swiglu::on_cpu() const {
  return std::make_unique<cpu::SequenceKernels<cpu::Swiglu>>();
}

}  // namespace troupe::models
