#include "troupe/layers/dropout.hpp"

#include "models/cuda/kernels/dropout.hpp"
#include "models/cuda/kernels/elementwise.hpp"
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
        adds_(layer.planned.inputs.size() > 1),
        probability_(static_cast<float>(spec_of<models::Dropout>(layer).probability())) {}

  StageTraits traits() const override { return {.input_gradient_in_place = !adds_}; }

  void forward(const ForwardOperands& at) override {
    apply_if_training(at.context, at.input, at.output);
    if (adds_) accumulate(stream(), layout_.element, layout_.values(batch_), at.addend, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr) apply_if_training(at.context, at.output_gradient, at.input_gradient);
  }

 private:
  void apply_if_training(const BatchContext& context, const void* from, void* to) const {
    if (context.training)
      apply(context, from, to);
    else if (from != to)
      check(cudaMemcpyAsync(to, from, layout_.bytes(batch_), cudaMemcpyDeviceToDevice, stream()),
            "copying activations");
  }

  cudaStream_t stream() const { return context_.compute().get(); }

  void apply(const BatchContext& context, const void* from, void* to) const {
    // The values of a sequence are numbered in the order in which they are stored, as flat features are.
    const SampleShape shape =
        layout_.shape.sequence ? SampleShape{.channels = layout_.size(), .flat = true} : layout_.shape;
    dropout(context_.compute().get(), shape, batch_, layout_.element, dropout_random(context).stream(), probability_,
            from, to);
  }

  Context& context_;
  Layout layout_;
  std::int64_t batch_;
  bool adds_;  ///< whether a second input is added to the output
  float probability_;
};

}  // namespace

std::unique_ptr<LayerKernels> dropout_kernels() { return std::make_unique<KernelsOf<Dropout>>(); }

}  // namespace troupe::cuda
