#include "models/cpu/head.hpp"

#include <algorithm>

#include "models/cpu/layers/sequence/position_linear.hpp"

namespace troupe::cpu {
namespace {

/// The number of outputs of a chunk, and the number of rows that it has at least. The products of matrices need about
/// so many rows to be fast.
constexpr std::int64_t kChunkOutputs = std::int64_t{1} << 18;
constexpr std::int64_t kLeastRows = 128;

/// Computes a linear layer and the loss in chunks of rows.
class LinearHead final : public Head {
 public:
  LinearHead(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch)
      : context_(context),
        loss_(loss),
        linear_(last),
        rows_(batch * last.output.height),
        chunk_(std::min(rows_, std::max(kLeastRows, kChunkOutputs / linear_.outputs()))) {
    context.activations.reserve(2 * static_cast<std::size_t>(chunk_ * linear_.outputs()) * sizeof(float));
  }

  double train(const BackwardOperands& at, const Batch& batch, std::int64_t* correct) override {
    double loss = 0;
    std::int64_t hits = 0;
    float* const gradient = context_.activations.floats() + chunk_ * linear_.outputs();
    for_each_chunk([&](std::int64_t first, std::int64_t rows) {
      const OutputRows outputs = chunk_outputs(at.input, at.weights, first, rows);
      std::int64_t counted = 0;
      loss += batch_loss_gradient(loss_, outputs, batch, gradient, &counted);
      hits = counted == BatchResult::kNotCounted ? counted : hits + counted;
      const std::int64_t place = first * linear_.inputs();
      if (linear_.learns())
        linear_.weights_backward(static_cast<const float*>(at.input) + place, gradient, rows,
                                 at.adds_weight_gradient || first > 0, at.gradient);
      if (at.input_gradient != nullptr)
        linear_.input_backward(gradient, at.weights, rows, at.adds_input_gradient,
                               static_cast<float*>(at.input_gradient) + place);
    });
    if (correct != nullptr) *correct = hits;
    return loss;
  }

  EvaluationResult evaluate(const ForwardOperands& at, const Batch& batch, SampleMetrics* metrics) override {
    EvaluationResult sum;
    for_each_chunk([&](std::int64_t first, std::int64_t rows) {
      const EvaluationResult part =
          evaluate_batch_loss(loss_, chunk_outputs(at.input, at.weights, first, rows), batch, metrics);
      sum.loss_sum += part.loss_sum;
      sum.correct += part.correct;
      sum.samples += part.samples;
    });
    return sum;
  }

  void outputs(const ForwardOperands& at, float* to) override {
    linear_.forward(static_cast<const float*>(at.input), at.weights, nullptr, rows_, to);
  }

 private:
  /// Calls `work` with the first row and the number of rows of each chunk.
  template <class Work>
  void for_each_chunk(const Work& work) const {
    for (std::int64_t first = 0; first < rows_; first += chunk_) work(first, std::min(chunk_, rows_ - first));
  }
  /// Computes the outputs of a chunk. Returns them; they are valid until the next call.
  OutputRows chunk_outputs(const void* input, const float* weights, std::int64_t first, std::int64_t rows) {
    float* const outputs = context_.activations.floats();
    linear_.forward(static_cast<const float*>(input) + first * linear_.inputs(), weights, nullptr, rows, outputs);
    return {outputs, linear_.outputs(), linear_.outputs(), first, rows};
  }

  Context& context_;
  const Loss& loss_;
  LinearRows linear_;
  std::int64_t rows_;   ///< number of positions of all samples
  std::int64_t chunk_;  ///< largest number of rows of a chunk
};

}  // namespace

std::unique_ptr<Head> make_linear_head(Context& context, const PlacedLayer& last, const Loss& loss,
                                       std::int64_t batch) {
  const PlannedLayer& planned = last.planned;
  if (!planned.output.sequence || planned.output.height == 1 || planned.relu || planned.inputs.size() > 1)
    return nullptr;
  return std::make_unique<LinearHead>(context, last, loss, batch);
}

}  // namespace troupe::cpu
