#include "troupe/layers/linear.hpp"

#include <optional>

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/sequence/position_linear.hpp"
#include "models/cpu/layers/sequence/sequence.hpp"
#include "models/cpu/passes.hpp"

namespace troupe::cpu {

using dnnl::memory;

namespace {

using LinearForward = dnnl::inner_product_forward;
using LinearData = dnnl::inner_product_backward_data;
using LinearWeights = dnnl::inner_product_backward_weights;

/// Creates oneDNN's descriptors for the passes of a linear layer, for one batch size. If the layer reads a flattened
/// image, each row of its input is the image in its blocked layout, as floats.
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
      return describe_forward<LinearForward>(context.engine, attributes(), dnnl::prop_kind::forward_training, source,
                                             weights, biases, destination);
    };
  }
  auto backward_weights(const LinearForward::primitive_desc& hint, const memory::desc& weights) const {
    return [&, weights] {
      return describe_backward<LinearWeights>(context.engine, attributes(), hint, source, weights, biases, destination);
    };
  }
  auto backward_data(const LinearForward::primitive_desc& hint, const memory::desc& weights) const {
    return [&, weights] {
      return describe_backward<LinearData>(context.engine, attributes(), hint, source, weights, destination);
    };
  }

  LinearForward::primitive_desc fastest_forward() const {
    const memory::desc& stored = layer.weights->stored;
    return first_fast<LinearForward::primitive_desc>(forward(stored), forward(any_layout(stored)));
  }
  LinearWeights::primitive_desc fastest_weights() const {
    const memory::desc& stored = layer.weights->stored;
    const auto hint = fastest_forward();
    return first_fast<LinearWeights::primitive_desc>(backward_weights(hint, stored),
                                                     backward_weights(hint, any_layout(stored)));
  }
  LinearData::primitive_desc fastest_data() const {
    const memory::desc& stored = layer.weights->stored;
    const auto hint = fastest_forward();
    return first_fast<LinearData::primitive_desc>(backward_data(hint, stored), backward_data(hint, any_layout(stored)));
  }
};

class Linear final : public Operation {
 public:
  Linear(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : Linear(layer, batch, LinearDescriptors(context, layer, batch)) {}

  StageTraits traits() const override { return {.reads_input = learns(), .reads_output = layer_.planned.relu}; }

  void prepare_backward() override {
    const LinearDescriptors make(context_, layer_, batch_);
    const memory::desc& stored = layer_.weights->stored;
    if (learns())
      weights_pass_.emplace(
          WeightsPass::make<LinearWeights>(context_, stored, make.source, make.destination, make.fastest_weights()));
    if (!layer_.gradient_stops) data_pass_.emplace(DataPass::make<LinearData>(context_, stored, make.fastest_data()));
  }

  void forward(const ForwardOperands& at) override {
    forward_.run(as_floats(at.input), at.weights, at.weights + layer_.parameters.vector(0), at.output);
    if (layer_.planned.relu) relu_forward(at.output, layer_.output, batch_);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    if (learns())
      weights_pass_->run(as_floats(at.input), at.output_gradient, at.gradient,
                         at.gradient + layer_.parameters.vector(0));
    if (at.input_gradient == nullptr) return;
    if (layer_.input.element == Element::f32) return data_pass_->run(at.weights, at.output_gradient, at.input_gradient);
    data_pass_->run(at.weights, at.output_gradient, context_.activations.data());
    from_floats(context_.activations.floats(), at.input_gradient, layer_.input, batch_);
  }

 private:
  bool learns() const { return !layer_.planned.keeps_tensors; }
  std::int64_t input_size() const { return batch_ * layer_.input.size(); }

  /// Returns the address of the input as floats: `input` itself, or a converted copy. Linear layers always compute in
  /// floats, because they take little time compared to convolutions.
  const void* as_floats(const void* input) {
    if (layer_.input.element == Element::f32) return input;
    to_floats(input, context_.activations.floats(), layer_.input, batch_);
    return context_.activations.data();
  }

  Linear(const PlacedLayer& layer, std::int64_t batch, const LinearDescriptors& make)
      : context_(make.context),
        layer_(layer),
        batch_(batch),
        forward_(ForwardPass::make<LinearForward>(make.context, layer.weights->stored, make.fastest_forward())) {
    if (layer.input.element != Element::f32)
      context_.activations.reserve(static_cast<std::size_t>(input_size()) * sizeof(float));
  }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;
  ForwardPass forward_;
  std::optional<WeightsPass> weights_pass_;
  std::optional<DataPass> data_pass_;
};

/// If oneDNN 3 prefers blocks of 16 inputs x 32 outputs for `weights`, returns a layout with blocks of 64 outputs
/// instead. Otherwise returns nothing. oneDNN 2.6 prefers blocks of 64 outputs, with which the backward pass takes a
/// few percent less time.
std::optional<memory::desc> in_wider_blocks(const memory::desc& weights) {
  const BlockedLayout layout = layout_of(weights);
  const std::vector<std::pair<int, dnnl_dim_t>> narrow{{1, 16}, {0, 32}};
  if (layout.inner != narrow || layout.extents[0] % 64 != 0) return {};
  return memory::desc(layout.extents, type_of(weights), memory::format_tag::AB16b64a);
}

class LinearKernels final : public LayerKernels {
 public:
  /// Returns the row-major layout, because a linear layer that reads flattened input images can read raw samples.
  std::optional<Layout> sample_layout(const SampleShape& input, Element /*element*/) const override {
    return plain_layout(input);
  }
  void place(Context& context, PlacedLayer& layer, std::int64_t batch) const override;
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    if (layer.planned.output.sequence) return make_position_linear(layer, batch);
    return std::make_unique<Linear>(context, layer, batch);
  }
  std::unique_ptr<Head> make_head(Context& context, const PlacedLayer& last, const Loss& loss,
                                  std::int64_t batch) const override {
    return make_linear_head(context, last, loss, batch);
  }
};

void LinearKernels::place(Context& context, PlacedLayer& layer, std::int64_t batch) const {
  if (layer.planned.output.sequence) return place_sequence(layer);
  const SampleShape& input = layer.planned.input;
  const std::int64_t outputs = round_up(layer.planned.output.channels);
  layer.output = {.channels = outputs};
  LayerParameters& parameters = layer.parameters;
  parameters.channels = layer.planned.output.channels;
  parameters.vectors = 1;
  layer.weights = std::make_shared<StoredWeights>();
  parameters.weights = layer.weights;
  StoredWeights& weights = *layer.weights;
  weights.outputs = layer.planned.output.channels;
  weights.plain = plain_matrix(outputs, layer.input.size());
  const LinearDescriptors make(context, layer, batch);
  weights.stored = make.forward(any_layout(weights.plain))().weights_desc();
  if (const auto wider = in_wider_blocks(weights.stored)) weights.stored = *wider;
  if (!is_dense(weights.stored))
    weights.stored = memory::desc(extents_of(weights.plain), memory::data_type::f32, memory::format_tag::ba);
  for (std::int64_t channel = 0; channel < input.channels; ++channel)
    for (std::int64_t row = 0; row < input.height; ++row)
      for (std::int64_t column = 0; column < input.width; ++column)
        weights.positions.push_back(layer.input.position(channel, row, column));
}

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Linear::on_cpu() const { return std::make_unique<cpu::LinearKernels>(); }

}  // namespace troupe::models
