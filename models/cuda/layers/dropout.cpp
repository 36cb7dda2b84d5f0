#include "troupe/layers/dropout.hpp"

#include "models/cuda/kernels/dropout.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/devices/dropout_random.hpp"

namespace troupe::cuda {

namespace {

/// Computes dropout. The backward pass draws the random numbers of the forward pass again, so that they need not be
/// stored.
class Dropout final : public Operation {
 public:
  Dropout(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        layout_(layer.output),
        batch_(batch),
        probability_(static_cast<float>(spec_of<models::Dropout>(layer).probability())) {}

  StageTraits traits() const override { return {.input_gradient_in_place = true}; }

  void forward(const ForwardOperands& at) override {
    if (at.context.training) return apply(at.context, at.input, at.output);
    check(
        cudaMemcpyAsync(at.output, at.input, layout_.bytes(batch_), cudaMemcpyDeviceToDevice, context_.compute().get()),
        "copying activations");
  }

  void backward(const BackwardOperands& at) override {
    if (at.context.training && at.input_gradient != nullptr) apply(at.context, at.output_gradient, at.input_gradient);
  }

 private:
  void apply(const BatchContext& context, const void* from, void* to) const {
    dropout(context_.compute().get(), layout_.shape, batch_, layout_.element, dropout_random(context).stream(),
            probability_, from, to);
  }

  Context& context_;
  Layout layout_;
  std::int64_t batch_;
  float probability_;
};

}  // namespace

std::unique_ptr<LayerKernels> dropout_kernels() { return std::make_unique<KernelsOf<Dropout>>(); }

}  // namespace troupe::cuda
