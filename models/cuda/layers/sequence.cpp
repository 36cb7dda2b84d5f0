#include "models/cuda/kernels/sequence.hpp"

#include <algorithm>
#include <cmath>

#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/products.hpp"
#include "models/cuda/transposed_weights.hpp"
#include "models/devices/dropout_random.hpp"
#include "troupe/layers.hpp"

namespace troupe::cuda {

namespace {

/// The base class of operations on sequences, whose values are floats.
class SequenceOperation : public Operation {
 public:
  SequenceOperation(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context), layer_(layer), batch_(batch) {}

 protected:
  std::size_t rows() const { return static_cast<std::size_t>(batch_ * layer_.output.shape.height); }
  std::uint32_t width() const { return static_cast<std::uint32_t>(layer_.output.shape.channels); }
  bool learns() const { return !layer_.planned.keeps_tensors; }
  cudaStream_t stream() const { return context_.compute().get(); }
  static const float* floats(const void* values) { return static_cast<const float*>(values); }
  static float* floats(void* values) { return static_cast<float*>(values); }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;
};

class Embedding final : public SequenceOperation {
 public:
  using SequenceOperation::SequenceOperation;

  StageTraits traits() const override { return {.reads_input = true}; }
  void prepare_backward() override { context_.need_workspace(embed_scratch(rows())); }
  void forward(const ForwardOperands& at) override { embed(stream(), tokens(at.input), at.weights, floats(at.output)); }
  void backward(const BackwardOperands& at) override {
    if (!learns()) return;
    // A layer that shares the weight runs its backward pass before this one, and writes all of the gradient.
    if (!layer_.planned.is_shared)
      check(cudaMemsetAsync(at.gradient, 0, layer_.parameters.size() * sizeof(float), stream()), "clearing a gradient");
    embed_backward(stream(), tokens(at.input), floats(at.output_gradient), context_.workspace(), at.gradient);
  }

 private:
  TokenRows tokens(const void* input) const {
    return {floats(input), rows(), static_cast<std::uint32_t>(spec_of<models::Embedding>(layer_).vocabulary()),
            width()};
  }
};

class EmbeddingKernels final : public LayerKernels {
 public:
  /// Places the weight as that of a linear layer, which may share it.
  void place(PlacedLayer& layer) const override {
    const std::int64_t channels = layer.planned.output.channels;
    layer.parameters.channels = channels;
    layer.parameters.weights =
        std::make_shared<TransposedWeights>(layer.planned.tensor_sizes[0] / channels, channels, 1);
  }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Embedding>(context, layer, batch);
  }
};

class Positions final : public SequenceOperation {
 public:
  using SequenceOperation::SequenceOperation;

  StageTraits traits() const override { return {.input_gradient_in_place = true}; }
  void forward(const ForwardOperands& at) override {
    add_positions(stream(), samples(), count(), floats(at.input), at.weights, floats(at.output));
  }
  void backward(const BackwardOperands& at) override {
    if (!learns()) return;
    check(cudaMemsetAsync(at.gradient, 0, layer_.parameters.size() * sizeof(float), stream()), "clearing a gradient");
    sum_samples(stream(), samples(), count(), floats(at.output_gradient), at.gradient);
  }

 private:
  std::size_t samples() const { return static_cast<std::size_t>(batch_); }
  std::size_t count() const { return layer_.output.values(1); }
};

class PositionNorm final : public SequenceOperation {
 public:
  PositionNorm(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : SequenceOperation(context, layer, batch) {
    context.need_workspace(norm_scratch(norm()));
  }

  StageTraits traits() const override { return {.reads_input = true, .adds_input_gradient = true}; }
  void prepare_backward() override {
    context_.need_workspace(scratch_bytes() + aligned(rows() * width() * sizeof(float)) +
                            column_sums_scratch(row_count(), width()));
  }
  void forward(const ForwardOperands& at) override {
    norm_forward(stream(), norm(), floats(at.input), at.weights, has_bias() ? at.weights + width() : nullptr,
                 context_.workspace(), floats(at.output));
  }
  void backward(const BackwardOperands& at) override {
    const float* const input = floats(at.input);
    const float* const gradient = floats(at.output_gradient);
    if (learns()) {
      auto* const terms = reinterpret_cast<float*>(context_.workspace() + scratch_bytes());
      void* const sums = terms + aligned(rows() * width() * sizeof(float)) / sizeof(float);
      norm_weight_terms(stream(), norm(), input, gradient, context_.workspace(), terms);
      column_sums(stream(), row_count(), width(), Element::f32, terms, sums, at.gradient);
      if (has_bias()) column_sums(stream(), row_count(), width(), Element::f32, gradient, sums, at.gradient + width());
    }
    if (at.input_gradient != nullptr)
      norm_input_backward(stream(), norm(), input, gradient, at.weights, at.adds_input_gradient, context_.workspace(),
                          floats(at.input_gradient));
  }

 private:
  const models::PositionNorm& spec() const { return spec_of<models::PositionNorm>(layer_); }
  bool has_bias() const { return spec().has_bias(); }
  NormRows norm() const { return {rows(), width(), spec().norm() == models::PositionNorm::Kind::layer}; }
  std::int64_t row_count() const { return static_cast<std::int64_t>(rows()); }
  std::size_t scratch_bytes() const { return aligned(norm_scratch(norm())); }
};

/// Computes attention, one head of one sample after the other. The backward pass computes the weights again.
class Attention final : public SequenceOperation {
 public:
  Attention(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : SequenceOperation(context, layer, batch),
        options_(spec_of<models::Attention>(layer).options()),
        positions_(layer.output.shape.height),
        size_(layer.output.shape.channels / options_.heads) {
    context.need_workspace(packed_bytes() + 2 * scores_bytes() + element_bytes());
  }

  StageTraits traits() const override { return {.reads_input = true}; }
  void prepare_backward() override {
    context_.need_workspace(packed_bytes() + 2 * scores_bytes() + element_bytes() + gradient_bytes());
  }

  void forward(const ForwardOperands& at) override {
    const std::byte* const packed = as_factors(context_, at.input, packed_values(), Element::f32, context_.workspace());
    for_each_head([&](std::int64_t sample, std::int64_t head) {
      const std::byte* const queries = packed + packed_place(sample, head) * size_of(context_.element());
      weigh(at.context, queries, sample, head);
      multiply(context_, {values_of(queries), packed_width()}, {dropped(), positions_}, {size_, positions_, positions_},
               floats(at.output) + output_place(sample, head), Element::f32, {.column = width()});
    });
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    const std::byte* const packed = as_factors(context_, at.input, packed_values(), Element::f32, context_.workspace());
    std::byte* const copy = dropped() + element_bytes();
    const std::byte* const gradient = as_factors(context_, at.output_gradient, rows() * width(), Element::f32, copy);
    for_each_head([&](std::int64_t sample, std::int64_t head) {
      const std::byte* const queries = packed + packed_place(sample, head) * size_of(context_.element());
      const std::byte* const outputs = gradient + output_place(sample, head) * size_of(context_.element());
      head_backward(at, queries, outputs, sample, head);
    });
  }

 private:
  void head_backward(const BackwardOperands& at, const std::byte* queries, const std::byte* outputs,
                     std::int64_t sample, std::int64_t head) {
    float* const to = floats(at.input_gradient) + packed_place(sample, head);
    const ProductColumns packed{.column = packed_width()};
    const Scores scores = weigh(at.context, queries, sample, head);
    multiply(context_, {outputs, width()}, {dropped(), positions_, true}, {size_, positions_, positions_},
             to + 2 * width(), Element::f32, packed);
    multiply(context_, {values_of(queries), packed_width(), true}, {outputs, width()}, {positions_, positions_, size_},
             products(), Element::f32);
    attention_backward(stream(), scores, weights(), products(), context_.element(), dropped());
    multiply(context_, {keys_of(queries), packed_width()}, {dropped(), positions_}, {size_, positions_, positions_}, to,
             Element::f32, packed);
    multiply(context_, {queries, packed_width()}, {dropped(), positions_, true}, {size_, positions_, positions_},
             to + width(), Element::f32, packed);
  }

  /// Computes the weights of a head: `weights()` and, after the dropout, `dropped()`.
  Scores weigh(const BatchContext& context, const std::byte* queries, std::int64_t sample, std::int64_t head) {
    multiply(context_, {keys_of(queries), packed_width(), true}, {queries, packed_width()},
             {positions_, positions_, size_}, products(), Element::f32);
    const Scores scores{.rows = static_cast<std::size_t>(positions_),
                        .keys = static_cast<std::uint32_t>(positions_),
                        .causal = options_.causal,
                        .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(size_))),
                        .probability = context.training ? static_cast<float>(options_.dropout) : 0.0F,
                        .random = dropout_random(context).stream(),
                        .first_row = static_cast<std::size_t>((sample * options_.heads + head) * positions_)};
    attention_weights(stream(), scores, products(), weights(), context_.element(), dropped());
    return scores;
  }

  template <class Work>
  void for_each_head(const Work& work) const {
    for (std::int64_t sample = 0; sample < batch_; ++sample)
      for (std::int64_t head = 0; head < options_.heads; ++head) work(sample, head);
  }

  std::int64_t packed_width() const { return 3 * static_cast<std::int64_t>(width()); }
  std::size_t packed_values() const { return rows() * static_cast<std::size_t>(packed_width()); }
  std::int64_t packed_place(std::int64_t sample, std::int64_t head) const {
    return sample * positions_ * packed_width() + head * size_;
  }
  std::int64_t output_place(std::int64_t sample, std::int64_t head) const {
    return sample * positions_ * width() + head * size_;
  }
  const std::byte* keys_of(const std::byte* queries) const { return queries + width() * size_of(context_.element()); }
  const std::byte* values_of(const std::byte* queries) const {
    return keys_of(queries) + width() * size_of(context_.element());
  }

  // The workspace: the packed input as factors, the products of a head, its weights, the weights as factors, and the
  // gradient of the output as factors.
  std::size_t packed_bytes() const { return factor_bytes(context_, packed_values(), Element::f32); }
  std::size_t scores_bytes() const {
    return aligned(static_cast<std::size_t>(positions_ * positions_) * sizeof(float));
  }
  std::size_t element_bytes() const {
    return aligned(static_cast<std::size_t>(positions_ * positions_) * size_of(context_.element()));
  }
  std::size_t gradient_bytes() const { return factor_bytes(context_, rows() * width(), Element::f32); }
  float* products() const { return reinterpret_cast<float*>(context_.workspace() + packed_bytes()); }
  float* weights() const { return reinterpret_cast<float*>(context_.workspace() + packed_bytes() + scores_bytes()); }
  std::byte* dropped() const { return context_.workspace() + packed_bytes() + 2 * scores_bytes(); }

  models::AttentionOptions options_;
  std::int64_t positions_;
  std::int64_t size_;  ///< channels of a head
};

class Swiglu final : public SequenceOperation {
 public:
  using SequenceOperation::SequenceOperation;

  StageTraits traits() const override { return {.reads_input = true}; }
  void forward(const ForwardOperands& at) override {
    swiglu_forward(stream(), rows(), width(), floats(at.input), floats(at.output));
  }
  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr)
      swiglu_backward(stream(), rows(), width(), floats(at.input), floats(at.output_gradient),
                      floats(at.input_gradient));
  }
};

}  // namespace

std::unique_ptr<LayerKernels> attention_kernels() { return std::make_unique<KernelsOf<Attention>>(); }
std::unique_ptr<LayerKernels> embedding_kernels() { return std::make_unique<EmbeddingKernels>(); }
std::unique_ptr<LayerKernels> position_norm_kernels() { return std::make_unique<KernelsOf<PositionNorm>>(); }
std::unique_ptr<LayerKernels> positions_kernels() { return std::make_unique<KernelsOf<Positions>>(); }
std::unique_ptr<LayerKernels> swiglu_kernels() { return std::make_unique<KernelsOf<Swiglu>>(); }

}  // namespace troupe::cuda
