#include "troupe/layers/custom_layer.hpp"

#include <algorithm>
#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/packing.hpp"

namespace troupe::cpu {

namespace {

/// Brings what the layer works on into plain order, and back.
class Custom final : public Operation {
 public:
  Custom(const PlacedLayer& layer, std::int64_t batch) : layer_(layer), batch_(batch) {}

  Traits traits() const override { return {.reads_input = true, .reads_output = true}; }

  void forward(const ForwardOperands& at) override {
    unpack_input(at.input);
    output_.resize(floats(layer_.planned.output));
    spec().forward(
        {.context = at.context, .samples = batch_, .input = input_, .tensors = tensors(at.weights), .output = output_});
    pack(output_.data(), layer_.planned.output, layer_.output, batch_, at.output);
  }

  void backward(const BackwardOperands& at) override {
    unpack_input(at.input);
    unpack_output(at.output, output_);
    unpack_output(at.output_gradient, output_gradient_);
    input_gradient_.resize(at.input_gradient == nullptr ? 0 : input_.size());
    const std::span<float> gradient(at.gradient, layer_.parameters.size());
    std::ranges::fill(gradient.subspan(num_tensors()), 0.0F);
    spec().backward({.context = at.context,
                     .samples = batch_,
                     .input = input_,
                     .output = output_,
                     .output_gradient = output_gradient_,
                     .tensors = tensors(at.weights),
                     .input_gradient = input_gradient_,
                     .tensors_gradient = gradient.first(num_tensors())});
    if (at.input_gradient != nullptr)
      pack(input_gradient_.data(), layer_.planned.input, layer_.input, batch_, at.input_gradient);
  }

 private:
  const models::CustomLayer& spec() const { return spec_of<models::CustomLayer>(layer_); }
  std::size_t floats(const SampleShape& shape) const { return static_cast<std::size_t>(batch_ * shape.size()); }
  std::size_t num_tensors() const { return static_cast<std::size_t>(layer_.parameters.channels); }
  std::span<const float> tensors(const float* weights) const { return {weights, num_tensors()}; }

  void unpack_input(const void* from) {
    input_.resize(floats(layer_.planned.input));
    unpack(from, layer_.planned.input, layer_.input, batch_, input_.data());
  }
  void unpack_output(const void* from, std::vector<float>& to) const {
    to.resize(floats(layer_.planned.output));
    unpack(from, layer_.planned.output, layer_.output, batch_, to.data());
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  std::vector<float> input_, output_, output_gradient_, input_gradient_;
};

class CustomKernels final : public LayerKernels {
 public:
  void place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const override {
    const PlannedLayer& planned = layer.planned;
    layer.output = planned.output.flat ? Layout{.channels = round_up(planned.output.channels)}
                                       : image_layout(planned.output, layer.input.element);
    layer.parameters.channels = static_cast<std::int64_t>(planned.tensor_floats);
    layer.parameters.vectors = planned.tensor_floats > 0 ? 1 : 0;
  }
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Custom>(layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> CustomLayer::on_cpu() const { return std::make_unique<cpu::CustomKernels>(); }

}  // namespace troupe::models
