#include <algorithm>

#include "models/cpu/operation.hpp"
#include "runtime/simd.hpp"

namespace troupe::cpu {

TROUPE_CLONES void relu_backward(const float* output, float* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = output[i] > 0 ? gradient[i] : 0.0F;
}

namespace {

class Relu final : public Operation {
 public:
  explicit Relu(std::int64_t count) : count_(count) {}

  void forward(const float* input, const float* /*weights*/, float* output) override {
    for (std::int64_t i = 0; i < count_; ++i) output[i] = input[i] < 0 ? 0.0F : input[i];
  }

  void backward(const float* /*input*/, const float* output, const float* /*weights*/, float* output_gradient,
                float* input_gradient, float* /*gradient*/) override {
    if (input_gradient == nullptr) return;
    relu_backward(output, output_gradient, count_);
    std::copy_n(output_gradient, count_, input_gradient);
  }

 private:
  std::int64_t count_;
};

}  // namespace

std::unique_ptr<Operation> make_relu(const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Relu>(batch * layer.output.size());
}

}  // namespace troupe::cpu
