#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/products.hpp"
#include "troupe/layers/convolution.hpp"

namespace troupe::cuda {

namespace {

/// A convolution of single pixels: a product of the matrix of all pixels with that of the weights. cuBLAS writes the
/// gradient of bfloat16 weights as floats, and a call costs the processor a fraction of one of cuDNN's.
class Pointwise final : public Operation {
 public:
  Pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layer_(layer), rows_(batch * layer.output.pixels()) {}

  StageTraits traits() const override { return {.reads_input = learns(), .reads_output = layer_.planned.relu}; }

  void prepare_backward() override {
    if (learns() && has_bias()) context_.need_workspace(column_sums_scratch(rows_, outputs()));
  }

  void forward(const ForwardOperands& at) override {
    multiply(context_, {at.product_weights, inputs(), true}, {at.input, inputs()}, {outputs(), rows_, inputs()},
             at.output, element());
    if (has_bias())
      add_bias(stream(), rows_, outputs(), element(), at.weights + layer_.parameters.vector(0), layer_.planned.relu,
               at.output);
    else if (layer_.planned.relu)
      relu_forward(stream(), element(), values(), at.output, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(stream(), element(), values(), at.output, at.output_gradient);
    if (learns() && has_bias())
      column_sums(stream(), rows_, outputs(), element(), at.output_gradient, context_.workspace(),
                  at.gradient + layer_.parameters.vector(0));
    if (learns())
      multiply(context_, {at.input, inputs()}, {at.output_gradient, outputs(), true}, {inputs(), outputs(), rows_},
               at.gradient, Element::f32);
    if (at.input_gradient != nullptr)
      multiply(context_, {at.product_weights, inputs()}, {at.output_gradient, outputs()}, {inputs(), rows_, outputs()},
               at.input_gradient, element());
  }

 private:
  bool learns() const { return !layer_.planned.keeps_tensors; }
  bool has_bias() const { return spec_of<models::Convolution>(layer_).bias(); }
  std::int64_t inputs() const { return layer_.input.shape.channels; }
  std::int64_t outputs() const { return layer_.output.shape.channels; }
  std::size_t values() const { return static_cast<std::size_t>(rows_ * outputs()); }
  Element element() const { return layer_.output.element; }
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t rows_;
};

}  // namespace

std::unique_ptr<Operation> pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Pointwise>(context, layer, batch);
}

}  // namespace troupe::cuda
