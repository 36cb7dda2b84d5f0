#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"

namespace troupe::cuda {

namespace {

/// Computes a ReLU that is a layer of its own in the plan, because no neighbouring layer applies it.
class Relu final : public Operation {
 public:
  Relu(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), element_(layer.output.element), values_(layer.output.values(batch)) {}

  StageTraits traits() const override { return {.reads_output = true, .input_gradient_in_place = true}; }

  void forward(const ForwardOperands& at) override {
    relu_forward(context_.compute().get(), element_, values_, at.input, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr)
      relu_backward(context_.compute().get(), element_, values_, at.output, at.output_gradient);
  }

 private:
  Context& context_;
  Element element_;
  std::size_t values_;
};

}  // namespace

std::unique_ptr<LayerKernels> relu_kernels() { return std::make_unique<KernelsOf<Relu>>(); }

}  // namespace troupe::cuda
