
#include <array>
#include <limits>
#include <optional>
#include <span>

#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/convolution_ends.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/transposed_weights.hpp"
#include "troupe/error.hpp"

namespace troupe::cuda {

namespace {

using TensorDescriptor = Handle<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using FilterDescriptor = Handle<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = Handle<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;

cudnnDataType_t type_of(Element element) { return element == Element::f32 ? CUDNN_DATA_FLOAT : CUDNN_DATA_BFLOAT16; }

/// Returns the math type to request from cuDNN. With CUDNN_DEFAULT_MATH, cuDNN may round floats to TensorFloat-32, so
/// this type is requested only if TensorFloat-32 is allowed.
cudnnMathType_t math_of(const Context& context) {
  if (context.element() == Element::bf16) return CUDNN_TENSOR_OP_MATH;
  return context.tf32() ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

/// Returns cuDNN's description of a batch with this layout.
/// @throws Error limit_reached if the batch has more values than cuDNN supports in a tensor.
TensorDescriptor tensor(const Layout& layout, std::int64_t batch) {
  if (layout.values(batch) > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(ErrorCode::limit_reached,
                "a batch of " + std::to_string(batch) + " has " + std::to_string(layout.values(batch)) +
                    " values in one layer, but cuDNN supports at most 2^31 - 1: use smaller batches");
  TensorDescriptor made([](auto* at) { check(cudnnCreateTensorDescriptor(at), "creating a tensor"); });
  check(cudnnSetTensor4dDescriptor(made.get(), CUDNN_TENSOR_NHWC, type_of(layout.element), static_cast<int>(batch),
                                   static_cast<int>(layout.shape.channels), static_cast<int>(layout.shape.height),
                                   static_cast<int>(layout.shape.width)),
        "describing a tensor");
  return made;
}

FilterDescriptor filter(const PlacedLayer& layer) {
  const auto kernel = static_cast<int>(spec_of<models::Convolution>(layer).window().kernel);
  FilterDescriptor made([](auto* at) { check(cudnnCreateFilterDescriptor(at), "creating a filter"); });
  check(cudnnSetFilter4dDescriptor(made.get(), type_of(layer.input.element), CUDNN_TENSOR_NHWC,
                                   static_cast<int>(layer.output.shape.channels),
                                   static_cast<int>(layer.input.shape.channels), kernel, kernel),
        "describing a filter");
  return made;
}

ConvolutionDescriptor convolution(const PlacedLayer& layer, cudnnMathType_t math) {
  const models::Window& window = spec_of<models::Convolution>(layer).window();
  const auto padding = static_cast<int>(window.padding);
  const auto stride = static_cast<int>(window.stride);
  ConvolutionDescriptor made([](auto* at) { check(cudnnCreateConvolutionDescriptor(at), "creating a convolution"); });
  check(cudnnSetConvolution2dDescriptor(made.get(), padding, padding, stride, stride, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT),
        "describing a convolution");
  check(cudnnSetConvolutionMathType(made.get(), math), "setting the precision");
  return made;
}

/// Returns true if an algorithm may be used that cuDNN lists with math type `listed`, although math type `asked` was
/// requested. cuDNN lists algorithms without tensor cores as FMA or as default math, so both are accepted if FMA was
/// requested. Algorithms that convert floats to half precision are never accepted.
bool may_be(cudnnMathType_t listed, cudnnMathType_t asked) {
  if (asked == CUDNN_FMA_MATH) return listed == CUDNN_FMA_MATH || listed == CUDNN_DEFAULT_MATH;
  return listed != CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
}

/// An algorithm of cuDNN for one of the three computations of a convolution: output, weight gradient or input gradient.
template <class Algorithm>
struct ConvolutionPass {
  Algorithm algorithm;
  ConvolutionDescriptor convolution;  ///< has the math type with which the algorithm is listed, or FMA if requested
  std::size_t workspace = 0;          ///< size of the algorithm's workspace in bytes
};

/// Chooses an algorithm from `found`, cuDNN's list, in which the fastest algorithm is the first. Returns the first
/// deterministic algorithm with a workspace of at most kUsualWorkspace bytes. If there is none, returns the
/// deterministic algorithm with the smallest workspace.
/// @throws Error unsupported if no algorithm is deterministic
template <class Found>
const Found& choose(std::span<const Found> found, const PlacedLayer& layer, cudnnMathType_t asked) {
  const Found* best = nullptr;
  for (const Found& each : found) {
    const bool fits =
        each.status == CUDNN_STATUS_SUCCESS && each.determinism == CUDNN_DETERMINISTIC && may_be(each.mathType, asked);
    if (!fits) continue;
    if (each.memory <= Context::kUsualWorkspace) return each;
    if (best == nullptr || each.memory < best->memory) best = &each;
  }
  if (best != nullptr) return *best;
  throw Error(ErrorCode::unsupported, "cuDNN has no deterministic algorithm for " + layer.planned.layer->label() +
                                          " of " + layer.input.shape.text() +
                                          (layer.input.element == Element::f32 ? " in f32" : " in bf16"));
}

/// Returns the fastest suitable algorithm for one of the computations of a convolution.
/// @param ask_list calls the function of cuDNN that lists the algorithms
/// @param ask_bytes calls the function of cuDNN that returns the size of an algorithm's workspace
template <class Found, class AskList, class AskBytes>
auto make_pass(const Context& context, const PlacedLayer& layer, const AskList& ask_list, const AskBytes& ask_bytes) {
  constexpr int kMost = 16;
  std::array<Found, kMost> found{};
  int count = 0;
  const cudnnMathType_t asked = math_of(context);
  const ConvolutionDescriptor any = convolution(layer, asked);
  check(ask_list(any.get(), kMost, &count, found.data()), "searching for an algorithm");
  const Found& chosen = choose(std::span<const Found>(found.data(), static_cast<std::size_t>(count)), layer, asked);
  const cudnnMathType_t math = asked == CUDNN_FMA_MATH ? asked : chosen.mathType;
  ConvolutionPass<decltype(chosen.algo)> pass{chosen.algo, convolution(layer, math)};
  check(ask_bytes(pass.convolution.get(), pass.algorithm, &pass.workspace), "querying a workspace");
  return pass;
}

class Convolution final : public ConvolutionEnds {
 public:
  Convolution(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : ConvolutionEnds(context, layer, batch),
        input_(tensor(layer.input, batch)),
        output_(tensor(layer.output, batch)),
        filter_(filter(layer)),
        forward_(forward_pass()) {
    context.need_workspace(forward_.workspace);
  }

  void prepare_backward() override {
    if (learns()) {
      filter_pass_ = filter_pass();
      context_.need_workspace(typed_gradient_bytes() + filter_pass_->workspace);
    }
    if (!layer_.gradient_stops) {
      data_pass_ = data_pass();
      context_.need_workspace(data_pass_->workspace);
    }
    need_bias_workspace();
  }

  void forward(const ForwardOperands& at) override {
    check(cudnnConvolutionForward(context_.cudnn(), &kOne, input_.get(), at.input, filter_.get(), at.product_weights,
                                  forward_.convolution.get(), forward_.algorithm, context_.workspace(),
                                  forward_.workspace, &kZero, output_.get(), at.output),
          "computing a convolution");
    end_forward(at);
  }

  void backward(const BackwardOperands& at) override {
    begin_backward(at);
    if (learns()) run_filter_pass(at);
    if (at.input_gradient == nullptr) return;
    check(cudnnConvolutionBackwardData(context_.cudnn(), &kOne, filter_.get(), at.product_weights, output_.get(),
                                       at.output_gradient, data_pass_->convolution.get(), data_pass_->algorithm,
                                       context_.workspace(), data_pass_->workspace, &kZero, input_.get(),
                                       at.input_gradient),
          "computing the input gradient of a convolution");
  }

 private:
  using ForwardPass = ConvolutionPass<cudnnConvolutionFwdAlgo_t>;
  using FilterPass = ConvolutionPass<cudnnConvolutionBwdFilterAlgo_t>;
  using DataPass = ConvolutionPass<cudnnConvolutionBwdDataAlgo_t>;

  std::size_t weights() const { return layer_.parameters.weights->canonical_floats(); }
  /// Returns the size in bytes of the weight gradient in bfloat16, which lies at the start of the workspace. If the
  /// layer computes in bfloat16, cuDNN writes the gradient of the weights in bfloat16, and the layer then converts it
  /// to floats. If the layer computes in floats, returns 0.
  std::size_t typed_gradient_bytes() const {
    if (layer_.input.element == Element::f32) return 0;
    return aligned(weights() * size_of(Element::bf16));
  }

  ForwardPass forward_pass() const {
    return make_pass<cudnnConvolutionFwdAlgoPerf_t>(
        context_, layer_,
        [&](auto convolution, auto... list) {
          return cudnnGetConvolutionForwardAlgorithm_v7(context_.cudnn(), input_.get(), filter_.get(), convolution,
                                                        output_.get(), list...);
        },
        [&](auto convolution, auto algorithm, std::size_t* bytes) {
          return cudnnGetConvolutionForwardWorkspaceSize(context_.cudnn(), input_.get(), filter_.get(), convolution,
                                                         output_.get(), algorithm, bytes);
        });
  }

  FilterPass filter_pass() const {
    return make_pass<cudnnConvolutionBwdFilterAlgoPerf_t>(
        context_, layer_,
        [&](auto convolution, auto... list) {
          return cudnnGetConvolutionBackwardFilterAlgorithm_v7(context_.cudnn(), input_.get(), output_.get(),
                                                               convolution, filter_.get(), list...);
        },
        [&](auto convolution, auto algorithm, std::size_t* bytes) {
          return cudnnGetConvolutionBackwardFilterWorkspaceSize(context_.cudnn(), input_.get(), output_.get(),
                                                                convolution, filter_.get(), algorithm, bytes);
        });
  }

  DataPass data_pass() const {
    return make_pass<cudnnConvolutionBwdDataAlgoPerf_t>(
        context_, layer_,
        [&](auto convolution, auto... list) {
          return cudnnGetConvolutionBackwardDataAlgorithm_v7(context_.cudnn(), filter_.get(), output_.get(),
                                                             convolution, input_.get(), list...);
        },
        [&](auto convolution, auto algorithm, std::size_t* bytes) {
          return cudnnGetConvolutionBackwardDataWorkspaceSize(context_.cudnn(), filter_.get(), output_.get(),
                                                              convolution, input_.get(), algorithm, bytes);
        });
  }

  void run_filter_pass(const BackwardOperands& at) {
    const std::size_t typed = typed_gradient_bytes();
    void* const gradient = typed > 0 ? static_cast<void*>(context_.workspace()) : at.gradient;
    check(cudnnConvolutionBackwardFilter(context_.cudnn(), &kOne, input_.get(), at.input, output_.get(),
                                         at.output_gradient, filter_pass_->convolution.get(), filter_pass_->algorithm,
                                         context_.workspace() + typed, filter_pass_->workspace, &kZero, filter_.get(),
                                         gradient),
          "computing the weight gradient of a convolution");
    if (typed > 0) to_floats(stream(), Element::bf16, weights(), gradient, at.gradient);
  }

  TensorDescriptor input_;
  TensorDescriptor output_;
  FilterDescriptor filter_;
  ForwardPass forward_;
  std::optional<FilterPass> filter_pass_;  ///< computes the weight gradient; only in networks that train
  std::optional<DataPass> data_pass_;      ///< computes the input gradient; only if an earlier layer needs it
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
    const models::Window& window = spec_of<models::Convolution>(layer).window();
    if (window.kernel == 1 && window.is_plain()) return pointwise(context, layer, batch);
    if (auto made = unfolded(context, layer, batch)) return made;
    return std::make_unique<Convolution>(context, layer, batch);
  }
};

}  // namespace

std::unique_ptr<LayerKernels> convolution_kernels() { return std::make_unique<ConvolutionKernels>(); }

}  // namespace troupe::cuda
