#include "models/cpu/layers/convolution.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/window_pool.hpp"
#include "models/cpu/layers/winograd.hpp"
#include "models/cpu/passes.hpp"
#include "troupe/layers/convolution.hpp"

namespace troupe::cpu {

using dnnl::algorithm;
using dnnl::memory;

namespace {

using ConvolutionForward = dnnl::convolution_forward;
using ConvolutionData = dnnl::convolution_backward_data;
using ConvolutionWeights = dnnl::convolution_backward_weights;

/// The number of samples of a slice: the samples that are computed at once. The intermediate results of Winograd's
/// algorithm for this many samples fit into the cache. With 64 samples, the algorithm loses a quarter of its speed.
constexpr std::int64_t kSliceSamples = 32;

/// Winograd's algorithm is used if the ratio of pixels (in all samples of a slice) to channels is at least this number;
/// see winograd_pays.
constexpr std::int64_t kPixelsPerChannel = kHasWinograd ? 4 : 3;

/// Maximum number of channels of row-major images that oneDNN's convolutions can read without blocks of channels.
constexpr std::int64_t kSmallInput = 3;

const models::Window& window_of(const PlacedLayer& layer) { return spec_of<models::Convolution>(layer).window(); }

/// Creates oneDNN's descriptors for the passes of a layer, for one batch size.
class ConvolutionDescriptors {
 public:
  ConvolutionDescriptors(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        layer_(layer),
        source_(images(batch, layer.input)),
        destination_(images(batch, layer.output)),
        biases_(spec_of<models::Convolution>(layer).bias() ? plain_vector(layer.output.channels) : memory::desc()),
        strides_(2, window_of(layer).stride),
        padding_(2, window_of(layer).padding),
        far_padding_{window_of(layer).far_padding(layer.planned.input.height, layer.planned.output.height),
                     window_of(layer).far_padding(layer.planned.input.width, layer.planned.output.width)} {}

  auto forward(algorithm how, const memory::desc& weights) const {
    return [this, how, weights] {
      return describe_forward<ConvolutionForward>(context_.engine, attributes(), dnnl::prop_kind::forward_training, how,
                                                  source_, weights, biases_, destination_, strides_, padding_,
                                                  far_padding_);
    };
  }
  auto backward_weights(const ConvolutionForward::primitive_desc& hint, const memory::desc& source,
                        const memory::desc& weights, const memory::desc& destination) const {
    return [=, this, &hint] {
      return describe_backward<ConvolutionWeights>(context_.engine, attributes(), hint, algorithm::convolution_direct,
                                                   source, weights, biases_, destination, strides_, padding_,
                                                   far_padding_);
    };
  }
  auto backward_data(algorithm how, const ConvolutionForward::primitive_desc& hint, const memory::desc& weights) const {
    return [this, how, &hint, weights] {
      return describe_backward<ConvolutionData>(context_.engine, attributes(), hint, how, source_, weights,
                                                destination_, strides_, padding_, far_padding_);
    };
  }

  /// Returns true if Winograd's algorithm is faster than a direct convolution. Winograd's algorithm transforms the
  /// weights in each call, which takes less time than it saves only if there are many pixels. Measured with oneDNN's
  /// implementation, it is faster for 64 channels of 56x56 pixels and for 128 channels of 28x28 pixels, but not for 256
  /// channels of 14x14 pixels. Measured with the transforms of this project, it is also faster for 64 channels of 14x14
  /// pixels. The data gradient of Winograd's algorithm reads the weights in the same layout as the forward pass.
  bool winograd_pays() const {
    const std::int64_t pixels = extents_of(source_)[0] * layer_.output.pixels();
    return pixels >= kPixelsPerChannel * std::max(layer_.input.channels, layer_.output.channels);
  }

  const memory::desc& source() const { return source_; }
  const memory::desc& destination() const { return destination_; }

  ConvolutionForward::primitive_desc fastest_forward() const {
    return first_fast<ConvolutionForward::primitive_desc>(forward(preferred(), stored()),
                                                          forward(algorithm::convolution_direct, stored()),
                                                          forward(algorithm::convolution_direct, any_weights()));
  }
  /// Returns the descriptor of the weight gradient, which is always a gradient in floats. Tries several layouts,
  /// because oneDNN has fast kernels for some layouts only. Without AVX-512, oneDNN has only slow reference loops in
  /// two cases: for one or two input channels in row-major layout, and for images smaller than the kernel. In these
  /// cases, a layout of format `any` lets oneDNN use a matrix product, for which inputs and output gradients are
  /// converted to row-major. Some versions of oneDNN also need an input of format `any` to find a fast kernel for
  /// bfloat16 (kNeedsAnyInput).
  ConvolutionWeights::primitive_desc fastest_weights() const {
    const auto hint = fastest_forward();
    const memory::desc any = any_layout(stored());
    const memory::desc any_source = any_layout(source_, layer_.input.element);
    const memory::desc any_destination = any_layout(destination_, layer_.output.element);
    const bool needs_any = kNeedsAnyInput && layer_.input.element == Element::bf16;
    return first_fast<ConvolutionWeights::primitive_desc>(
        backward_weights(hint, source_, stored(), destination_), backward_weights(hint, source_, any, destination_),
        backward_weights(hint, needs_any ? any_source : source_, any, destination_),
        backward_weights(hint, source_, any, any_destination),
        backward_weights(hint, any_source, any, any_destination));
  }
  ConvolutionData::primitive_desc fastest_data() const {
    const auto hint = fastest_forward();
    return first_fast<ConvolutionData::primitive_desc>(
        backward_data(preferred(), hint, stored()), backward_data(algorithm::convolution_direct, hint, stored()),
        backward_data(algorithm::convolution_direct, hint, any_weights()));
  }

 private:
  const memory::desc& stored() const { return layer_.weights->stored; }
  /// Returns the description of weights in the element type in which the layer computes, with format `any`: oneDNN
  /// chooses the layout.
  memory::desc any_weights() const { return any_layout(stored(), layer_.input.element); }

  algorithm preferred() const {
    return kHasWinograd && winograd_pays() ? algorithm::convolution_winograd : algorithm::convolution_direct;
  }

  Context& context_;
  const PlacedLayer& layer_;
  memory::desc source_, destination_, biases_;
  memory::dims strides_, padding_, far_padding_;
};

/// Computes the forward pass and the gradient of the input for a slice of the batch: `samples` consecutive samples.
class Slice {
 public:
  Slice(Context& context, const PlacedLayer& layer, std::int64_t samples) : layer_(layer), samples_(samples) {
    const ConvolutionDescriptors make(context, layer, samples);
    const auto fastest = make.fastest_forward();
    if (uses_winograd(make, fastest.impl_info_str()))
      winograd_forward_ = WinogradPass::make(context, layer, samples, WinogradPass::Direction::forward);
    if (!winograd_forward_)
      forward_.emplace(ForwardPass::make<ConvolutionForward>(context, layer.weights->stored, fastest));
  }

  void prepare_data(Context& context) {
    const ConvolutionDescriptors make(context, layer_, samples_);
    const auto fastest = make.fastest_data();
    if (uses_winograd(make, fastest.impl_info_str()))
      winograd_data_ = WinogradPass::make(context, layer_, samples_, WinogradPass::Direction::input_gradient);
    if (!winograd_data_) data_.emplace(DataPass::make<ConvolutionData>(context, layer_.weights->stored, fastest));
  }

  /// Computes the forward pass of the slice and writes its output. `biases` is not read if the layer has no bias.
  void forward(const void* input, const float* weights, const float* biases, void* output) {
    if (winograd_forward_)
      winograd_forward_->run(input, weights, spec_of<models::Convolution>(layer_).bias() ? biases : nullptr, output);
    else
      forward_->run(input, weights, biases, output);
    if (layer_.planned.relu) relu_forward(output, layer_.output, samples_);
  }

  void data(const float* weights, const void* output_gradient, void* input_gradient) {
    if (winograd_data_) return winograd_data_->run(output_gradient, weights, nullptr, input_gradient);
    data_->run(weights, output_gradient, input_gradient);
  }

 private:
  /// Returns true if the slice should use WinogradPass instead of oneDNN's implementation.
  /// @param direct the name of the implementation that oneDNN would use
  static bool uses_winograd(const ConvolutionDescriptors& make, const char* direct) {
    return !kHasWinograd && (make.winograd_pays() || is_reference(direct));
  }

  const PlacedLayer& layer_;
  std::int64_t samples_;
  std::optional<ForwardPass> forward_;
  std::optional<DataPass> data_;
  std::unique_ptr<WinogradPass> winograd_forward_, winograd_data_;  ///< if not null, replace `forward_` and `data_`
};

/// Returns true if the weight gradient of this layer must be computed in floats. In oneDNN 2.6 and 3.7, the bfloat16
/// kernels for the weight gradient can read uninitialized memory. This happens if the stride exceeds 1 and the input
/// has very few rows or columns. Because the input is small, computing in floats takes little time.
bool weights_pass_in_floats(const PlacedLayer& layer) {
  constexpr std::int64_t kFewPixels = 4;
  const std::int64_t few = std::max(kFewPixels, window_of(layer).kernel);
  return layer.input.element == Element::bf16 && window_of(layer).stride > 1 &&
         std::min(layer.input.height, layer.input.width) <= few;
}

PlacedLayer in_floats(PlacedLayer layer) {
  layer.input.element = layer.output.element = Element::f32;
  return layer;
}

WeightsPass make_weights_pass(Context& context, const PlacedLayer& placed, std::int64_t batch) {
  const PlacedLayer layer = weights_pass_in_floats(placed) ? in_floats(placed) : placed;
  const ConvolutionDescriptors make(context, layer, batch);
  return WeightsPass::make<ConvolutionWeights>(context, layer.weights->stored, make.source(), make.destination(),
                                               make.fastest_weights());
}

class Convolution final : public Operation {
 public:
  Convolution(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layer_(layer), batch_(batch), weights_in_floats_(weights_pass_in_floats(layer)) {
    slices_.emplace_back(context, layer, std::min(batch, kSliceSamples));
    if (batch > kSliceSamples && batch % kSliceSamples != 0)
      slices_.emplace_back(context, layer, batch % kSliceSamples);
  }

  StageTraits traits() const override { return {.reads_input = learns(), .reads_output = layer_.planned.relu}; }

  void prepare_backward() override {
    if (learns()) weights_pass_.emplace(make_weights_pass(context_, layer_, batch_));
    if (learns() && weights_in_floats_)
      context_.activations.reserve(static_cast<std::size_t>(batch_ * (layer_.input.size() + layer_.output.size())) *
                                   sizeof(float));
    if (layer_.gradient_stops) return;
    for (Slice& slice : slices_) slice.prepare_data(context_);
  }

  void forward(const ForwardOperands& at) override {
    const float* const biases = at.weights + layer_.parameters.vector(0);
    for_each_slice([&](Slice& slice, std::int64_t first) {
      slice.forward(sample(at.input, layer_.input, first), at.weights, biases, sample(at.output, layer_.output, first));
    });
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(at.output, at.output_gradient, layer_.output, batch_);
    if (learns()) weights_gradient(at);
    if (at.input_gradient == nullptr) return;
    for_each_slice([&](Slice& slice, std::int64_t first) {
      slice.data(at.weights, sample(at.output_gradient, layer_.output, first),
                 sample(at.input_gradient, layer_.input, first));
    });
  }

 private:
  bool learns() const { return !layer_.planned.keeps_tensors; }

  void weights_gradient(const BackwardOperands& at) {
    float* const biases = at.gradient + layer_.parameters.vector(0);
    if (!weights_in_floats_) return weights_pass_->run(at.input, at.output_gradient, at.gradient, biases);
    float* const input = context_.activations.floats();
    float* const output_gradient = input + batch_ * layer_.input.size();
    to_floats(at.input, input, layer_.input, batch_);
    to_floats(at.output_gradient, output_gradient, layer_.output, batch_);
    weights_pass_->run(input, output_gradient, at.gradient, biases);
  }

  template <class Work>
  void for_each_slice(const Work& work) {
    for (std::int64_t first = 0; first < batch_; first += kSliceSamples)
      work(batch_ - first < kSliceSamples ? slices_.back() : slices_.front(), first);
  }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;
  bool weights_in_floats_;
  std::optional<WeightsPass> weights_pass_;
  std::vector<Slice> slices_;
};

class ConvolutionKernels final : public LayerKernels {
 public:
  std::optional<Layout> sample_layout(const SampleShape& input, Element element) const override {
    if (input.channels > kSmallInput) return {};
    Layout plain = plain_layout(input);
    plain.element = element;
    return plain;
  }
  void place(Context& context, PlacedLayer& layer, std::int64_t batch) const override;
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return make_convolution(context, layer, batch);
  }
  bool joins(const PlacedLayer& layer, const PlacedLayer& next) const override {
    return !layer.planned.relu && is_plain_max_pool(next);
  }
  std::unique_ptr<Operation> make_joined(Context& context, const PlacedLayer& layer, const PlacedLayer& next,
                                         std::int64_t batch) const override {
    return make_convolution_pool(context, layer, next, batch);
  }
};

void ConvolutionKernels::place(Context& context, PlacedLayer& layer, std::int64_t batch) const {
  const PlannedLayer& planned = layer.planned;
  const std::int64_t kernel = window_of(layer).kernel;
  layer.output = image_layout(planned.output, layer.input.element);
  LayerParameters& parameters = layer.parameters;
  parameters.channels = planned.output.channels;
  parameters.vectors = spec_of<models::Convolution>(layer).bias() ? 1 : 0;
  layer.weights = std::make_shared<StoredWeights>();
  parameters.weights = layer.weights;
  StoredWeights& weights = *layer.weights;
  weights.outputs = planned.output.channels;
  weights.plain = memory::desc({layer.output.channels, layer.input.channels, kernel, kernel}, memory::data_type::f32,
                               memory::format_tag::oihw);
  weights.positions.resize(static_cast<std::size_t>(planned.input.channels * kernel * kernel));
  std::iota(weights.positions.begin(), weights.positions.end(), 0);

  // The flat vector contains the weights as floats, even if the layer computes in bfloat16. The layout of the weights
  // is the layout that a forward pass in floats prefers.
  const PlacedLayer floats = in_floats(layer);
  const ConvolutionDescriptors make(context, floats, std::min(batch, kSliceSamples));
  const auto chosen = first_fast<ConvolutionForward::primitive_desc>(
      make.forward(algorithm::convolution_direct, any_layout(weights.plain)));
  weights.stored = is_dense(chosen.weights_desc()) ? chosen.weights_desc() : weights.plain;
}

}  // namespace

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  return std::make_unique<Convolution>(context, layer, batch);
}

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Convolution::on_cpu() const { return std::make_unique<cpu::ConvolutionKernels>(); }

}  // namespace troupe::models
