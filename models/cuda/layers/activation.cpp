#include "models/cuda/kernels/activations.hpp"
#include "models/cuda/layers/layers.hpp"
#include "troupe/layers/gelu.hpp"

namespace troupe::cuda {

namespace {

template <Activation kActivation>
class ActivationLayer final : public Operation {
 public:
  ActivationLayer(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), element_(layer.output.element), values_(layer.output.values(batch)) {}

  StageTraits traits() const override {
    return {.reads_input = !reads_output(kActivation),
            .reads_output = reads_output(kActivation),
            .input_gradient_in_place = true};
  }

  void forward(const ForwardOperands& at) override {
    activation_forward(context_.compute().get(), kActivation, element_, values_, at.input, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    activation_backward(context_.compute().get(), kActivation, element_, values_,
                        reads_output(kActivation) ? at.output : at.input, at.output_gradient);
  }

 private:
  Context& context_;
  Element element_;
  std::size_t values_;
};

class GeluKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    if (spec_of<models::Gelu>(layer).form() == models::GeluForm::tanh)
      return std::make_unique<ActivationLayer<Activation::gelu_tanh>>(context, layer, batch);
    return std::make_unique<ActivationLayer<Activation::gelu>>(context, layer, batch);
  }
};

}  // namespace

std::unique_ptr<LayerKernels> gelu_kernels() { return std::make_unique<GeluKernels>(); }
std::unique_ptr<LayerKernels> sigmoid_kernels() {
  return std::make_unique<KernelsOf<ActivationLayer<Activation::sigmoid>>>();
}
std::unique_ptr<LayerKernels> tanh_kernels() {
  return std::make_unique<KernelsOf<ActivationLayer<Activation::tanh>>>();
}

}  // namespace troupe::cuda
