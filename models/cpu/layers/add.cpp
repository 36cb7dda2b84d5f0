#include "troupe/layers/add.hpp"

#include <cstring>

#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

namespace {

/// Adds two inputs, and applies a ReLU if the plan requires it. Used for sums that are not computed by a batch-norm.
/// The gradient of each input equals the gradient of the sum.
class Add final : public Operation {
 public:
  Add(const PlacedLayer& layer, std::int64_t batch) : layout_(layer.output), relu_(layer.planned.relu), batch_(batch) {}

  StageTraits traits() const override { return {.reads_output = relu_}; }

  void forward(const ForwardOperands& at) override {
    std::memcpy(at.output, at.input, layout_.bytes(batch_));
    cpu::accumulate(at.addend, at.output, layout_, batch_);
    if (relu_) relu_forward(at.output, layout_, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (relu_) relu_backward(at.output, at.output_gradient, layout_, batch_);
    if (at.input_gradient != nullptr) std::memcpy(at.input_gradient, at.output_gradient, layout_.bytes(batch_));
  }

 private:
  Layout layout_;
  bool relu_;
  std::int64_t batch_;
};

class AddKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Add>(layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Add::on_cpu() const { return std::make_unique<cpu::AddKernels>(); }

}  // namespace troupe::models
