#include "troupe/layers/custom_layer.hpp"

#include <algorithm>

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/sequence/sequence.hpp"
#include "models/cpu/packing.hpp"

namespace troupe::cpu {

namespace {

/// Runs a CustomLayer. Converts the operands of the layer to row-major floats, and its results back to the layout of
/// the network.
class Custom final : public Operation {
 public:
  Custom(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layer_(layer), batch_(batch) {
    context.activations.reserve(2 * (input_floats() + output_floats()) * sizeof(float));
  }

  StageTraits traits() const override { return {.reads_input = true, .reads_output = true}; }

  void forward(const ForwardOperands& at) override {
    const Plain plain = place();
    unpack(at.input, layer_.planned.input, layer_.input, batch_, plain.input.data());
    spec().forward({.context = at.context,
                    .samples = batch_,
                    .input = plain.input,
                    .tensors = tensors(at.weights),
                    .output = plain.output});
    pack(plain.output.data(), layer_.planned.output, layer_.output, batch_, at.output);
  }

  void backward(const BackwardOperands& at) override {
    const Plain plain = place();
    unpack(at.input, layer_.planned.input, layer_.input, batch_, plain.input.data());
    unpack(at.output, layer_.planned.output, layer_.output, batch_, plain.output.data());
    unpack(at.output_gradient, layer_.planned.output, layer_.output, batch_, plain.output_gradient.data());
    const bool goes_on = at.input_gradient != nullptr;
    const std::span<float> gradient(at.gradient, layer_.parameters.size());
    std::ranges::fill(gradient.subspan(num_tensor_floats()), 0.0F);
    spec().backward({.context = at.context,
                     .samples = batch_,
                     .input = plain.input,
                     .output = plain.output,
                     .output_gradient = plain.output_gradient,
                     .tensors = tensors(at.weights),
                     .input_gradient = goes_on ? plain.input_gradient : std::span<float>(),
                     .tensors_gradient = gradient.first(num_tensor_floats())});
    if (goes_on) pack(plain.input_gradient.data(), layer_.planned.input, layer_.input, batch_, at.input_gradient);
  }

 private:
  /// Memory for the layer's operands as row-major floats. Between two calls of this operation, other layers use the
  /// same memory.
  struct Plain {
    std::span<float> input, output, input_gradient, output_gradient;
  };
  Plain place() const {
    float* const floats = context_.activations.floats();
    const std::size_t both = input_floats() + output_floats();
    return {{floats, input_floats()},
            {floats + input_floats(), output_floats()},
            {floats + both, input_floats()},
            {floats + both + input_floats(), output_floats()}};
  }

  const models::CustomLayer& spec() const { return spec_of<models::CustomLayer>(layer_); }
  std::size_t input_floats() const { return static_cast<std::size_t>(batch_ * layer_.planned.input.size()); }
  std::size_t output_floats() const { return static_cast<std::size_t>(batch_ * layer_.planned.output.size()); }
  std::size_t num_tensor_floats() const { return static_cast<std::size_t>(layer_.parameters.channels); }
  std::span<const float> tensors(const float* weights) const { return {weights, num_tensor_floats()}; }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;
};

class CustomKernels final : public LayerKernels {
 public:
  void place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const override {
    const PlannedLayer& planned = layer.planned;
    if (planned.output.sequence)
      layer.output = sequence_layout(planned.output);
    else
      layer.output = planned.output.flat ? Layout{.channels = round_up(planned.output.channels)}
                                         : image_layout(planned.output, layer.input.element);
    layer.parameters.set_parts(planned.tensor_sizes);
  }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Custom>(context, layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> CustomLayer::on_cpu() const { return std::make_unique<cpu::CustomKernels>(); }

}  // namespace troupe::models
