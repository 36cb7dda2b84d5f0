#include "models/cuda/layers/convolution_ends.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/products.hpp"

namespace troupe::cuda {

namespace {

/// Computes a convolution with a 1x1 kernel and stride 1 as a matrix product of pixels and weights, by cuBLAS. cuBLAS
/// has two advantages over cuDNN: it can write the gradient of bfloat16 weights as floats, and a call takes much less
/// processor time.
class Pointwise final : public ConvolutionEnds {
 public:
  Pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch) : ConvolutionEnds(context, layer, batch) {}

  void prepare_backward() override { need_bias_workspace(); }

  void forward(const ForwardOperands& at) override {
    multiply(context_, {at.product_weights, inputs(), true}, {at.input, inputs()}, {outputs(), rows_, inputs()},
             at.output, element());
    end_forward(at);
  }

  void backward(const BackwardOperands& at) override {
    begin_backward(at);
    if (learns())
      multiply(context_, {at.input, inputs()}, {at.output_gradient, outputs(), true}, {inputs(), outputs(), rows_},
               at.gradient, Element::f32);
    if (at.input_gradient != nullptr)
      multiply(context_, {at.product_weights, inputs()}, {at.output_gradient, outputs()}, {inputs(), rows_, outputs()},
               at.input_gradient, element());
  }

 private:
  std::int64_t inputs() const { return layer_.input.shape.channels; }
};

}  // namespace

std::unique_ptr<Operation> pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Pointwise>(context, layer, batch);
}

}  // namespace troupe::cuda
