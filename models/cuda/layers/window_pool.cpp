#include "models/cuda/kernels/window_pool.hpp"

#include "models/cuda/layers/layers.hpp"
#include "troupe/layers/average_pool.hpp"
#include "troupe/layers/max_pool.hpp"

namespace troupe::cuda {

namespace {

template <class Spec>
Pooling pooling_of(const PlacedLayer& layer) {
  return {.input = layer.input.shape,
          .output = layer.output.shape,
          .window = spec_of<Spec>(layer).window(),
          .element = layer.input.element};
}

/// Computes a max-pooling. The backward pass finds the largest value of each window again, so that its position need
/// not be stored.
class MaxPool final : public Operation {
 public:
  MaxPool(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        pooling_(pooling_of<models::MaxPool>(layer)),
        relu_(layer.planned.relu),
        gradient_stops_(layer.gradient_stops),
        batch_(batch) {}

  StageTraits traits() const override { return {.reads_input = !gradient_stops_, .reads_output = !gradient_stops_}; }

  void prepare_backward() override {
    if (!gradient_stops_) context_.need_workspace(max_pool_scratch(pooling_, batch_));
  }

  void forward(const ForwardOperands& at) override {
    max_pool_forward(context_.compute().get(), pooling_, batch_, relu_, at.input, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    max_pool_backward(context_.compute().get(), pooling_, batch_, relu_, at.input, at.output, at.output_gradient,
                      context_.workspace(), at.input_gradient);
  }

 private:
  Context& context_;
  Pooling pooling_;
  bool relu_;
  bool gradient_stops_;
  std::int64_t batch_;
};

class AveragePool final : public Operation {
 public:
  AveragePool(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), pooling_(pooling_of<models::AveragePool>(layer)), batch_(batch) {}

  StageTraits traits() const override { return {}; }

  void forward(const ForwardOperands& at) override {
    average_pool_forward(context_.compute().get(), pooling_, batch_, at.input, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    average_pool_backward(context_.compute().get(), pooling_, batch_, at.output_gradient, at.input_gradient);
  }

 private:
  Context& context_;
  Pooling pooling_;
  std::int64_t batch_;
};

}  // namespace

std::unique_ptr<LayerKernels> max_pool_kernels() { return std::make_unique<KernelsOf<MaxPool>>(); }
std::unique_ptr<LayerKernels> average_pool_kernels() { return std::make_unique<KernelsOf<AveragePool>>(); }

}  // namespace troupe::cuda
