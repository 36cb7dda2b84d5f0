#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"

namespace troupe::cuda {

namespace {

/// Adds two inputs, and applies a ReLU if the plan requires it. Used for sums that are not computed by a batch-norm.
/// The gradient of each input equals the gradient of the sum.
class Add final : public Operation {
 public:
  Add(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layout_(layer.output), relu_(layer.planned.relu), batch_(batch) {}

  StageTraits traits() const override { return {.reads_output = relu_}; }

  void forward(const ForwardOperands& at) override {
    add(stream(), layout_.element, layout_.values(batch_), at.input, at.addend, relu_, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (relu_) relu_backward(stream(), layout_.element, layout_.values(batch_), at.output, at.output_gradient);
    if (at.input_gradient != nullptr)
      check(cudaMemcpyAsync(at.input_gradient, at.output_gradient, layout_.bytes(batch_), cudaMemcpyDeviceToDevice,
                            stream()),
            "copying a gradient");
  }

 private:
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  Layout layout_;
  bool relu_;
  std::int64_t batch_;
};

}  // namespace

std::unique_ptr<LayerKernels> add_kernels() { return std::make_unique<KernelsOf<Add>>(); }

}  // namespace troupe::cuda
