#include "models/cuda/kernels/batch_norm.hpp"

#include "models/cuda/layers/layers.hpp"

namespace troupe::cuda {

namespace {

/// Computes a batch-norm. If the plan requires it, also adds a second input and applies a ReLU.
class BatchNorm final : public Operation {
 public:
  BatchNorm(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        shape_{.rows = batch * layer.output.pixels(),
               .channels = layer.output.shape.channels,
               .element = layer.output.element,
               .relu = layer.planned.relu},
        batch_(batch),
        has_addend_(layer.planned.inputs.size() > 1),
        shift_vector_(layer.parameters.vector(1)),
        memory_(NormVectors::bytes(shape_.channels)),
        vectors_(memory_.data(), shape_.channels) {
    context.need_workspace(norm_scratch(shape_));
  }

  StageTraits traits() const override {
    return {.reads_input = true,
            .reads_output = shape_.relu,
            .takes_two_gradients = true,
            .input_gradient_in_place = !has_addend_};
  }

  void forward(const ForwardOperands& at) override {
    const NormWeights<const float> weights{at.weights, at.weights + shift_vector_};
    if (at.statistics_sums != nullptr)
      norm_measure(stream(), shape_, batch_, at.input, weights, at.statistics, at.statistics_sums, vectors_,
                   context_.workspace());
    else
      norm_recall(stream(), shape_, weights, at.statistics, vectors_);
    norm_forward(stream(), shape_, at.input, at.addend, vectors_, at.output);
  }

  void backward(const BackwardOperands& at) override {
    norm_gradient_sums(stream(), shape_, at.context.training, at.input, at.output, at.second_gradient,
                       at.output_gradient, vectors_, context_.workspace(), {at.gradient, at.gradient + shift_vector_});
    if (at.input_gradient != nullptr)
      norm_input_gradients(stream(), shape_, at.input, at.output_gradient, vectors_, at.input_gradient);
  }

 private:
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  NormShape shape_;
  std::int64_t batch_;
  bool has_addend_;
  std::size_t shift_vector_;
  DeviceMemory memory_;
  NormVectors vectors_;  ///< views of `memory_`
};

class BatchNormKernels final : public LayerKernels {
 public:
  void place(PlacedLayer& layer) const override {
    layer.parameters.vectors = 2;
    layer.parameters.channels = layer.planned.output.channels;
    layer.parameters.normalised = layer.input.pixels();
  }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<BatchNorm>(context, layer, batch);
  }
};

}  // namespace

std::unique_ptr<LayerKernels> batch_norm_kernels() { return std::make_unique<BatchNormKernels>(); }

}  // namespace troupe::cuda
