#include "troupe/layers/relu.hpp"

#include <cstring>

#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

namespace {

/// Computes a ReLU that is a layer of its own in the plan, because no neighbouring layer applies it.
class Relu final : public Operation {
 public:
  Relu(const Layout& layout, std::int64_t batch) : layout_(layout), batch_(batch) {}

  StageTraits traits() const override { return {.reads_output = true, .input_gradient_in_place = true}; }

  void forward(const ForwardOperands& at) override {
    std::memcpy(at.output, at.input, layout_.bytes(batch_));
    relu_forward(at.output, layout_, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr) relu_backward(at.output, at.output_gradient, layout_, batch_);
  }

 private:
  Layout layout_;
  std::int64_t batch_;
};

class ReluKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Relu>(layer.output, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Relu::on_cpu() const { return std::make_unique<cpu::ReluKernels>(); }

}  // namespace troupe::models
