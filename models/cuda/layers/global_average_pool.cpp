#include "models/cuda/kernels/global_average.hpp"
#include "models/cuda/layers/layers.hpp"

namespace troupe::cuda {

namespace {

class GlobalAveragePool final : public Operation {
 public:
  GlobalAveragePool(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        averages_{.samples = batch,
                  .pixels = layer.input.pixels(),
                  .channels = layer.input.shape.channels,
                  .image = layer.input.element,
                  .mean = layer.output.element} {}

  StageTraits traits() const override { return {}; }

  void forward(const ForwardOperands& at) override {
    global_average_forward(context_.compute().get(), averages_, at.input, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    global_average_backward(context_.compute().get(), averages_, at.output_gradient, at.input_gradient);
  }

 private:
  Context& context_;
  Averages averages_;
};

}  // namespace

std::unique_ptr<LayerKernels> global_average_pool_kernels() { return std::make_unique<KernelsOf<GlobalAveragePool>>(); }

}  // namespace troupe::cuda
