#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "models/cpu/operation.hpp"
#include "models/cpu/passes.hpp"

namespace troupe::cpu {

using dnnl::algorithm;
using dnnl::memory;

namespace {

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;

/// Winograd's intermediate results of so many samples stay in the cache; those of 64 cost a quarter of its speed.
constexpr std::int64_t kSliceSamples = 32;

/// Makes the descriptors of one layer and batch size.
class ConvolutionDescriptors {
 public:
  ConvolutionDescriptors(Context& context, const PlacedLayer& layer, std::int64_t batch,
                         const memory::desc& destination)
      : context_(context),
        layer_(layer),
        source_(images(batch, layer.input)),
        destination_(destination),
        biases_(plain_vector(destination_.dims()[1])),
        strides_(2, layer.planned.layer.stride),
        padding_(2, layer.planned.layer.padding),
        // What the last stride leaves over at the right and the bottom is not padded.
        far_padding_{far_padding(layer.planned.input.height, layer.planned.output.height),
                     far_padding(layer.planned.input.width, layer.planned.output.width)} {}

  auto forward(algorithm how, const memory::desc& weights) const {
    return [this, how, weights] {
      return Forward::primitive_desc({dnnl::prop_kind::forward_training, how, source_, weights, biases_, destination_,
                                      strides_, padding_, far_padding_},
                                     attributes(layer_.planned.relu), context_.engine);
    };
  }
  auto backward_weights(algorithm how, const Forward::primitive_desc& hint, const memory::desc& weights) const {
    return [this, how, &hint, weights] {
      return BackwardWeights::primitive_desc(
          {how, source_, weights, biases_, destination_, strides_, padding_, far_padding_}, attributes(),
          context_.engine, hint);
    };
  }
  auto backward_data(algorithm how, const Forward::primitive_desc& hint, const memory::desc& weights) const {
    return [this, how, &hint, weights] {
      return BackwardData::primitive_desc({how, source_, weights, destination_, strides_, padding_, far_padding_},
                                          attributes(), context_.engine, hint);
    };
  }

  /// Winograd where it pays, as long as the stored layout serves.
  Forward::primitive_desc fastest_forward() const {
    const memory::desc& stored = layer_.parameters.stored;
    return first_fast<Forward::primitive_desc>(forward(algorithm::convolution_auto, stored),
                                               forward(algorithm::convolution_direct, stored),
                                               forward(algorithm::convolution_direct, any_layout(stored)));
  }
  BackwardWeights::primitive_desc fastest_weights() const {
    const memory::desc& stored = layer_.parameters.stored;
    const auto hint = fastest_forward();
    return first_fast<BackwardWeights::primitive_desc>(
        backward_weights(algorithm::convolution_auto, hint, stored),
        backward_weights(algorithm::convolution_direct, hint, stored),
        backward_weights(algorithm::convolution_direct, hint, any_layout(stored)));
  }
  /// Winograd's is the one that takes the weights as the forward pass does.
  BackwardData::primitive_desc fastest_data() const {
    const memory::desc& stored = layer_.parameters.stored;
    const auto hint = fastest_forward();
    return first_fast<BackwardData::primitive_desc>(
        backward_data(algorithm::convolution_auto, hint, stored),
        backward_data(algorithm::convolution_winograd, hint, stored),
        backward_data(algorithm::convolution_direct, hint, stored),
        backward_data(algorithm::convolution_direct, hint, any_layout(stored)));
  }

 private:
  std::int64_t far_padding(std::int64_t input, std::int64_t output) const {
    const models::Layer& layer = layer_.planned.layer;
    return (output - 1) * layer.stride + layer.kernel - input - layer.padding;
  }

  Context& context_;
  const PlacedLayer& layer_;
  memory::desc source_, destination_, biases_;
  memory::dims strides_, padding_, far_padding_;
};

/// Forward and backward data for a slice of the batch.
class Slice {
 public:
  Slice(Context& context, const PlacedLayer& layer, std::int64_t samples)
      : Slice(context, layer, ConvolutionDescriptors(context, layer, samples, images(samples, layer.output))) {}

  ForwardPass& forward() { return forward_; }
  DataPass& data() { return *data_; }

 private:
  Slice(Context& context, const PlacedLayer& layer, const ConvolutionDescriptors& make)
      : forward_(ForwardPass::make<Forward>(context, layer.parameters.stored, make.fastest_forward())) {
    if (!layer.gradient_stops)
      data_.emplace(DataPass::make<BackwardData>(context, layer.parameters.stored, make.fastest_data()));
  }

  ForwardPass forward_;
  std::optional<DataPass> data_;
};

WeightsPass make_weights_pass(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  const ConvolutionDescriptors make(context, layer, batch, images(batch, layer.output));
  return WeightsPass::make<BackwardWeights>(context, layer.parameters.stored, make.fastest_weights());
}

class Convolution final : public Operation {
 public:
  Convolution(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : layer_(layer), batch_(batch), weights_pass_(make_weights_pass(context, layer, batch)) {
    slices_.emplace_back(context, layer, std::min(batch, kSliceSamples));
    if (batch > kSliceSamples && batch % kSliceSamples != 0)
      slices_.emplace_back(context, layer, batch % kSliceSamples);
  }

  void forward(const float* input, const float* weights, float* output) override {
    const std::size_t biases = layer_.parameters.biases();
    for_each_slice([&](Slice& slice, std::int64_t first) {
      slice.forward().run(input + first * layer_.input.size(), weights, weights + biases,
                          output + first * layer_.output.size());
    });
  }

  void backward(const float* input, const float* output, const float* weights, float* output_gradient,
                float* input_gradient, float* gradient) override {
    const std::size_t biases = layer_.parameters.biases();
    if (layer_.planned.relu) relu_backward(output, output_gradient, batch_ * layer_.output.size());
    weights_pass_.run(input, output_gradient, gradient, gradient + biases);
    if (input_gradient == nullptr) return;
    for_each_slice([&](Slice& slice, std::int64_t first) {
      slice.data().run(weights, output_gradient + first * layer_.output.size(),
                       input_gradient + first * layer_.input.size());
    });
  }

 private:
  template <class Work>
  void for_each_slice(const Work& work) {
    for (std::int64_t first = 0; first < batch_; first += kSliceSamples)
      work(batch_ - first < kSliceSamples ? slices_.back() : slices_.front(), first);
  }

  const PlacedLayer& layer_;
  std::int64_t batch_;
  WeightsPass weights_pass_;
  std::vector<Slice> slices_;
};

}  // namespace

void place_convolution(Context& context, PlacedLayer& layer, std::int64_t batch) {
  const PlannedLayer& planned = layer.planned;
  const std::int64_t kernel = planned.layer.kernel;
  const std::int64_t outputs = round_up(planned.output.channels);
  const std::int64_t samples = std::min(batch, kSliceSamples);
  const memory::desc any_images = any_layout({samples, outputs, planned.output.height, planned.output.width});
  LayerParameters& parameters = layer.parameters;
  parameters.outputs = planned.output.channels;
  parameters.plain =
      memory::desc({outputs, layer.input.channels, kernel, kernel}, memory::data_type::f32, memory::format_tag::oihw);
  parameters.positions.resize(static_cast<std::size_t>(planned.input.channels * kernel * kernel));
  std::iota(parameters.positions.begin(), parameters.positions.end(), 0);

  const ConvolutionDescriptors make(context, layer, samples, any_images);
  const auto chosen =
      first_fast<Forward::primitive_desc>(make.forward(algorithm::convolution_auto, any_layout(parameters.plain)),
                                          make.forward(algorithm::convolution_direct, any_layout(parameters.plain)));
  const auto layout = layout_of(chosen.dst_desc());
  const bool ours = layout.has_value() && is_dense(chosen.weights_desc());
  layer.output = ours ? *layout : Layout{outputs, planned.output.height, planned.output.width, kChannelBlock};
  parameters.stored = ours ? chosen.weights_desc() : parameters.plain;
}

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Convolution>(context, layer, batch);
}

}  // namespace troupe::cpu
