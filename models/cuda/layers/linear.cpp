#include "troupe/layers/linear.hpp"

#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/products.hpp"
#include "models/cuda/transposed_weights.hpp"

namespace troupe::cuda {

namespace {

/// Computes a linear layer. If the layer reads a flattened image, each row of its input is the image in its layout on
/// the device. If the input is a sequence, each position is a row. Outputs and their gradients are floats. If products
/// are computed in bfloat16, operands that are floats are first converted to bfloat16 copies in the workspace.
class Linear final : public Operation {
 public:
  Linear(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        layer_(layer),
        batch_(layer.output.shape.sequence ? batch * layer.output.shape.height : batch) {
    context.need_workspace(factor_bytes(context, input_values(), layer.input.element));
  }

  StageTraits traits() const override {
    return {.reads_input = true, .reads_output = layer_.planned.relu, .adds_input_gradient = true};
  }

  void prepare_backward() override {
    context_.need_workspace(factor_bytes(context_, input_values(), layer_.input.element) +
                            factor_bytes(context_, output_values(), Element::f32));
    context_.need_workspace(column_sums_scratch(batch_, outputs()));
  }

  void forward(const ForwardOperands& at) override {
    const void* const input =
        as_factors(context_, at.input, input_values(), layer_.input.element, context_.workspace());
    multiply(context_, {at.product_weights, inputs(), true}, {input, inputs()}, {outputs(), batch_, inputs()},
             at.output, Element::f32);
    const bool relu = layer_.planned.relu;
    if (has_bias())
      add_bias(stream(), batch_, outputs(), Element::f32, at.weights + layer_.parameters.vector(0),
               relu && at.addend == nullptr, at.output);
    if (at.addend != nullptr)
      add(stream(), Element::f32, output_values(), at.output, at.addend, relu, at.output);
    else if (relu && !has_bias())
      cuda::relu_forward(stream(), Element::f32, output_values(), at.output, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(stream(), Element::f32, output_values(), at.output, at.output_gradient);
    const bool learns = !layer_.planned.keeps_tensors;
    if (learns && has_bias())
      column_sums(stream(), batch_, outputs(), Element::f32, at.output_gradient, context_.workspace(),
                  at.gradient + layer_.parameters.vector(0));
    std::byte* const behind = context_.workspace() + factor_bytes(context_, input_values(), layer_.input.element);
    const void* const input =
        as_factors(context_, at.input, input_values(), layer_.input.element, context_.workspace());
    const void* const gradient = as_factors(context_, at.output_gradient, output_values(), Element::f32, behind);
    if (learns)
      multiply(context_, {input, inputs()}, {gradient, outputs(), true}, {inputs(), outputs(), batch_}, at.gradient,
               Element::f32);
    if (at.input_gradient != nullptr)
      multiply(context_, {at.product_weights, inputs()}, {gradient, outputs()}, {inputs(), batch_, outputs()},
               at.input_gradient, layer_.input.element, {.adds = at.adds_input_gradient});
  }

 private:
  bool is_sequence() const { return layer_.output.shape.sequence; }
  bool has_bias() const { return spec_of<models::Linear>(layer_).options().bias; }
  std::int64_t inputs() const { return is_sequence() ? layer_.input.shape.channels : layer_.input.size(); }
  std::int64_t outputs() const { return is_sequence() ? layer_.output.shape.channels : layer_.output.size(); }
  std::size_t input_values() const { return static_cast<std::size_t>(batch_ * inputs()); }
  std::size_t output_values() const { return static_cast<std::size_t>(batch_ * outputs()); }
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;  ///< number of rows
};

class LinearKernels final : public LayerKernels {
 public:
  void place(PlacedLayer& layer) const override {
    if (layer.planned.shares >= 0) return;  // the weight is that of another layer
    const bool sequence = layer.planned.output.sequence;
    layer.parameters.channels = layer.planned.output.channels;
    layer.parameters.vectors = spec_of<models::Linear>(layer).options().bias ? 1 : 0;
    layer.parameters.weights = std::make_shared<TransposedWeights>(
        layer.planned.output.channels, layer.planned.input.channels, sequence ? 1 : layer.input.pixels());
  }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Linear>(context, layer, batch);
  }
};

}  // namespace

std::unique_ptr<LayerKernels> linear_kernels() { return std::make_unique<LinearKernels>(); }

}  // namespace troupe::cuda
