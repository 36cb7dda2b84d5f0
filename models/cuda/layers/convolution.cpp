#include "troupe/layers/convolution.hpp"

#include <array>
#include <span>

#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/transposed_weights.hpp"
#include "troupe/error.hpp"

namespace troupe::cuda {

namespace {

using TensorDescriptor = Handle<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDescriptor = Handle<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = Handle<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;

cudnnDataType_t type_of(Element element) { return element == Element::f32 ? CUDNN_DATA_FLOAT : CUDNN_DATA_BFLOAT16; }

cudnnMathType_t math_of(Element element) {
  return element == Element::f32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;  // not TensorFloat-32
}

TensorDescriptor tensor(const Layout& layout, std::int64_t batch) {
  TensorDescriptor made([](auto* at) { check(cudnnCreateTensorDescriptor(at), "a tensor"); });
  check(cudnnSetTensor4dDescriptor(made.get(), CUDNN_TENSOR_NHWC, type_of(layout.element), static_cast<int>(batch),
                                   static_cast<int>(layout.shape.channels), static_cast<int>(layout.shape.height),
                                   static_cast<int>(layout.shape.width)),
        "describing a tensor");
  return made;
}

FilterDescriptor filter(const PlacedLayer& layer) {
  const auto kernel = static_cast<int>(spec_of<models::Convolution>(layer).window().kernel);
  FilterDescriptor made([](auto* at) { check(cudnnCreateFilterDescriptor(at), "a filter"); });
  check(cudnnSetFilter4dDescriptor(made.get(), type_of(layer.input.element), CUDNN_TENSOR_NHWC,
                                   static_cast<int>(layer.output.shape.channels),
                                   static_cast<int>(layer.input.shape.channels), kernel, kernel),
        "describing a filter");
  return made;
}

ConvolutionDescriptor convolution(const PlacedLayer& layer) {
  const models::Window& window = spec_of<models::Convolution>(layer).window();
  const auto padding = static_cast<int>(window.padding);
  const auto stride = static_cast<int>(window.stride);
  ConvolutionDescriptor made([](auto* at) { check(cudnnCreateConvolutionDescriptor(at), "a convolution"); });
  check(cudnnSetConvolution2dDescriptor(made.get(), padding, padding, stride, stride, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT),
        "describing a convolution");
  check(cudnnSetConvolutionMathType(made.get(), math_of(layer.input.element)), "choosing a precision");
  return made;
}

/// cuDNN may list what it computes without tensor cores as such, or as of default maths; what it is asked for decides.
bool may_be(cudnnMathType_t listed, Element element) {
  return element == Element::bf16 || listed == CUDNN_FMA_MATH || listed == CUDNN_DEFAULT_MATH;
}

/// Of the algorithms that cuDNN lists, fastest first, the first that gives the same bits each time and has room; where
/// none has, the one that wants least.
template <class Found>
auto choose(std::span<const Found> found, const PlacedLayer& layer) {
  const Found* best = nullptr;
  for (const Found& each : found) {
    const bool fits = each.status == CUDNN_STATUS_SUCCESS && each.determinism == CUDNN_DETERMINISTIC &&
                      may_be(each.mathType, layer.input.element);
    if (!fits) continue;
    if (each.memory <= Context::kUsualWorkspace) return each.algo;
    if (best == nullptr || each.memory < best->memory) best = &each;
  }
  if (best != nullptr) return best->algo;
  throw Error(ErrorCode::unsupported, "cuDNN has no deterministic algorithm for " + layer.planned.layer->label() +
                                          " of " + layer.input.shape.text() +
                                          (layer.input.element == Element::f32 ? " in f32" : " in bf16"));
}

/// Asks cuDNN for its list.
template <class Found, class Ask>
auto choose_of(const Ask& ask, const PlacedLayer& layer) {
  constexpr int kMost = 16;
  std::array<Found, kMost> found{};
  int count = 0;
  check(ask(kMost, &count, found.data()), "looking for an algorithm");
  return choose(std::span<const Found>(found.data(), static_cast<std::size_t>(count)), layer);
}

class Convolution final : public Operation {
 public:
  Convolution(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        layer_(layer),
        rows_(batch * layer.output.pixels()),
        input_(tensor(layer.input, batch)),
        output_(tensor(layer.output, batch)),
        filter_(filter(layer)),
        convolution_(convolution(layer)),
        forward_(choose_of<cudnnConvolutionFwdAlgoPerf_t>(
            [&](int most, int* count, auto* found) {
              return cudnnGetConvolutionForwardAlgorithm_v7(context.cudnn(), input_.get(), filter_.get(),
                                                            convolution_.get(), output_.get(), most, count, found);
            },
            layer)) {
    std::size_t bytes = 0;
    check(cudnnGetConvolutionForwardWorkspaceSize(context.cudnn(), input_.get(), filter_.get(), convolution_.get(),
                                                  output_.get(), forward_, &bytes),
          "asking for a workspace");
    context.need_workspace(bytes);
  }

  StageTraits traits() const override { return {.reads_input = true, .reads_output = layer_.planned.relu}; }

  void prepare_backward() override {
    prepare_filter_pass();
    if (!layer_.gradient_stops) prepare_data_pass();
    if (has_bias()) context_.need_workspace(column_sums_scratch(rows_, channels()));
  }

  void forward(const ForwardOperands& at) override {
    check(cudnnConvolutionForward(context_.cudnn(), &kOne, input_.get(), at.input, filter_.get(), at.product_weights,
                                  convolution_.get(), forward_, context_.workspace(), context_.workspace_bytes(),
                                  &kZero, output_.get(), at.output),
          "a convolution");
    if (has_bias())
      add_bias(stream(), rows_, channels(), layer_.output.element, at.weights + layer_.parameters.vector(0),
               layer_.planned.relu, at.output);
    else if (layer_.planned.relu)
      relu_forward(stream(), layer_.output.element, values(), at.output, at.output);
  }

  void backward(const BackwardOperands& at) override {
    if (layer_.planned.relu) relu_backward(stream(), layer_.output.element, values(), at.output, at.output_gradient);
    if (has_bias())
      column_sums(stream(), rows_, channels(), layer_.output.element, at.output_gradient, context_.workspace(),
                  at.gradient + layer_.parameters.vector(0));
    filter_pass(at);
    if (at.input_gradient == nullptr) return;
    check(cudnnConvolutionBackwardData(context_.cudnn(), &kOne, filter_.get(), at.product_weights, output_.get(),
                                       at.output_gradient, convolution_.get(), data_, context_.workspace(),
                                       context_.workspace_bytes(), &kZero, input_.get(), at.input_gradient),
          "a convolution's gradient of its input");
  }

 private:
  bool has_bias() const { return spec_of<models::Convolution>(layer_).bias(); }
  std::int64_t channels() const { return layer_.output.shape.channels; }
  std::size_t values() const { return static_cast<std::size_t>(rows_ * channels()); }
  cudaStream_t stream() const { return context_.compute().get(); }
  std::size_t weights() const { return layer_.parameters.weights->canonical_floats(); }
  /// cuDNN writes the gradient of bfloat16 weights as such: it goes through the start of the workspace.
  std::size_t typed_gradient_bytes() const {
    if (layer_.input.element == Element::f32) return 0;
    return aligned(weights() * size_of(Element::bf16));
  }

  void prepare_filter_pass() {
    filter_algorithm_ = choose_of<cudnnConvolutionBwdFilterAlgoPerf_t>(
        [&](int most, int* count, auto* found) {
          return cudnnGetConvolutionBackwardFilterAlgorithm_v7(context_.cudnn(), input_.get(), output_.get(),
                                                               convolution_.get(), filter_.get(), most, count, found);
        },
        layer_);
    std::size_t bytes = 0;
    check(cudnnGetConvolutionBackwardFilterWorkspaceSize(context_.cudnn(), input_.get(), output_.get(),
                                                         convolution_.get(), filter_.get(), filter_algorithm_, &bytes),
          "asking for a workspace");
    context_.need_workspace(typed_gradient_bytes() + bytes);
  }

  void prepare_data_pass() {
    data_ = choose_of<cudnnConvolutionBwdDataAlgoPerf_t>(
        [&](int most, int* count, auto* found) {
          return cudnnGetConvolutionBackwardDataAlgorithm_v7(context_.cudnn(), filter_.get(), output_.get(),
                                                             convolution_.get(), input_.get(), most, count, found);
        },
        layer_);
    std::size_t bytes = 0;
    check(cudnnGetConvolutionBackwardDataWorkspaceSize(context_.cudnn(), filter_.get(), output_.get(),
                                                       convolution_.get(), input_.get(), data_, &bytes),
          "asking for a workspace");
    context_.need_workspace(bytes);
  }

  void filter_pass(const BackwardOperands& at) {
    const std::size_t typed = typed_gradient_bytes();
    void* const gradient = typed > 0 ? static_cast<void*>(context_.workspace()) : at.gradient;
    check(cudnnConvolutionBackwardFilter(context_.cudnn(), &kOne, input_.get(), at.input, output_.get(),
                                         at.output_gradient, convolution_.get(), filter_algorithm_,
                                         context_.workspace() + typed, context_.workspace_bytes() - typed, &kZero,
                                         filter_.get(), gradient),
          "a convolution's gradient of its weights");
    if (typed > 0) to_floats(stream(), Element::bf16, weights(), gradient, at.gradient);
  }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t rows_;
  TensorDescriptor input_;
  TensorDescriptor output_;
  FilterDescriptor filter_;
  ConvolutionDescriptor convolution_;
  cudnnConvolutionFwdAlgo_t forward_;
  cudnnConvolutionBwdFilterAlgo_t filter_algorithm_ = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
  cudnnConvolutionBwdDataAlgo_t data_ = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
};

class ConvolutionKernels final : public LayerKernels {
 public:
  void place(PlacedLayer& layer) const override {
    const models::Convolution& spec = spec_of<models::Convolution>(layer);
    layer.parameters.channels = spec.outputs();
    layer.parameters.vectors = spec.bias() ? 1 : 0;
    layer.parameters.weights = std::make_shared<TransposedWeights>(spec.outputs(), layer.planned.input.channels,
                                                                   spec.window().kernel * spec.window().kernel);
  }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Convolution>(context, layer, batch);
  }
};

}  // namespace

std::unique_ptr<LayerKernels> convolution_kernels() { return std::make_unique<ConvolutionKernels>(); }

}  // namespace troupe::cuda
