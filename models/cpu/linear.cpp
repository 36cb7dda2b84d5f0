#include <optional>

#include "models/cpu/operation.hpp"
#include "models/cpu/passes.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

using Forward = dnnl::inner_product_forward;
using BackwardData = dnnl::inner_product_backward_data;
using BackwardWeights = dnnl::inner_product_backward_weights;

/// The descriptors of one layer and batch size. Images that were flattened are rows of floats as they lie.
struct LinearDescriptors {
  Context& context;
  const PlacedLayer& layer;
  memory::desc source, destination, biases;

  LinearDescriptors(Context& the_context, const PlacedLayer& the_layer, std::int64_t batch)
      : context(the_context),
        layer(the_layer),
        source(plain_matrix(batch, layer.input.size())),
        destination(plain_matrix(batch, layer.output.size())),
        biases(plain_vector(layer.output.size())) {}

  auto forward(const memory::desc& weights) const {
    return [&, weights] {
      return Forward::primitive_desc({dnnl::prop_kind::forward_training, source, weights, biases, destination},
                                     attributes(layer.planned.relu), context.engine);
    };
  }
  auto backward_weights(const Forward::primitive_desc& hint, const memory::desc& weights) const {
    return [&, weights] {
      return BackwardWeights::primitive_desc({source, weights, biases, destination}, attributes(), context.engine,
                                             hint);
    };
  }
  auto backward_data(const Forward::primitive_desc& hint, const memory::desc& weights) const {
    return [&, weights] {
      return BackwardData::primitive_desc({source, weights, destination}, attributes(), context.engine, hint);
    };
  }

  Forward::primitive_desc fastest_forward() const {
    const memory::desc& stored = layer.parameters.stored;
    return first_fast<Forward::primitive_desc>(forward(stored), forward(any_layout(stored)));
  }
  BackwardWeights::primitive_desc fastest_weights() const {
    const memory::desc& stored = layer.parameters.stored;
    const auto hint = fastest_forward();
    return first_fast<BackwardWeights::primitive_desc>(backward_weights(hint, stored),
                                                       backward_weights(hint, any_layout(stored)));
  }
  BackwardData::primitive_desc fastest_data() const {
    const memory::desc& stored = layer.parameters.stored;
    const auto hint = fastest_forward();
    return first_fast<BackwardData::primitive_desc>(backward_data(hint, stored),
                                                    backward_data(hint, any_layout(stored)));
  }
};

class Linear final : public Operation {
 public:
  Linear(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : Linear(layer, batch, LinearDescriptors(context, layer, batch)) {}

  void forward(const float* input, const float* weights, float* output) override {
    const std::size_t biases = layer_.parameters.biases();
    forward_.run(input, weights, weights + biases, output);
  }

  void backward(const float* input, const float* output, const float* weights, float* output_gradient,
                float* input_gradient, float* gradient) override {
    const std::size_t biases = layer_.parameters.biases();
    if (layer_.planned.relu) relu_backward(output, output_gradient, batch_ * layer_.output.size());
    weights_pass_.run(input, output_gradient, gradient, gradient + biases);
    if (input_gradient != nullptr) data_pass_->run(weights, output_gradient, input_gradient);
  }

 private:
  Linear(const PlacedLayer& layer, std::int64_t batch, const LinearDescriptors& make)
      : layer_(layer),
        batch_(batch),
        forward_(ForwardPass::make<Forward>(make.context, layer.parameters.stored, make.fastest_forward())),
        weights_pass_(
            WeightsPass::make<BackwardWeights>(make.context, layer.parameters.stored, make.fastest_weights())) {
    if (!layer.gradient_stops)
      data_pass_.emplace(DataPass::make<BackwardData>(make.context, layer.parameters.stored, make.fastest_data()));
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  ForwardPass forward_;
  WeightsPass weights_pass_;
  std::optional<DataPass> data_pass_;
};

}  // namespace

void place_linear(Context& context, PlacedLayer& layer, std::int64_t batch, const SampleShape& input_shape) {
  const std::int64_t outputs = round_up(layer.planned.output.channels);
  layer.output = {.channels = outputs};
  LayerParameters& parameters = layer.parameters;
  parameters.outputs = layer.planned.output.channels;
  parameters.plain = plain_matrix(outputs, layer.input.size());
  const LinearDescriptors make(context, layer, batch);
  parameters.stored = make.forward(any_layout(parameters.plain))().weights_desc();
  if (!is_dense(parameters.stored))
    parameters.stored = memory::desc(parameters.plain.dims(), memory::data_type::f32, memory::format_tag::ba);
  for (std::int64_t channel = 0; channel < input_shape.channels; ++channel)
    for (std::int64_t row = 0; row < input_shape.height; ++row)
      for (std::int64_t column = 0; column < input_shape.width; ++column)
        parameters.positions.push_back(layer.input.position(channel, row, column));
}

std::unique_ptr<Operation> make_linear(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Linear>(context, layer, batch);
}

}  // namespace troupe::cpu
