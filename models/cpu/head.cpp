#include "models/cpu/head.hpp"

#include <algorithm>
#include <typeinfo>

#include "troupe/layers/linear.hpp"

namespace troupe::cpu {
namespace {

/// The number of outputs of a chunk, and the number of rows that it has at least. The products of matrices need about
/// so many rows to be fast.
constexpr std::int64_t kChunkOutputs = std::int64_t{1} << 18;
constexpr std::int64_t kLeastRows = 128;

/// Returns the rows of a chunk as a batch of samples with one label each.
Batch rows_of(const Batch& batch, std::int64_t first, std::int64_t rows) {
  return {.size = rows,
          .values = {},
          .labels = batch.labels.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          .targets = {}};
}

}  // namespace

std::unique_ptr<Head> Head::make(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch) {
  const models::LayerSpec& spec = *last.planned.layer;
  const bool fits = typeid(spec) == typeid(models::Linear) && last.planned.output.sequence &&
                    last.planned.output.height > 1 && !last.planned.relu && last.planned.inputs.size() == 1;
  return fits ? std::unique_ptr<Head>(new Head(context, last, loss, batch)) : nullptr;
}

Head::Head(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch)
    : context_(context),
      loss_(loss),
      linear_(last),
      rows_(batch * last.output.height),
      chunk_(std::min(rows_, std::max(kLeastRows, kChunkOutputs / linear_.outputs()))) {
  context.activations.reserve(2 * static_cast<std::size_t>(chunk_ * linear_.outputs()) * sizeof(float));
}

template <class Work>
void Head::for_each_chunk(const Work& work) const {
  for (std::int64_t first = 0; first < rows_; first += chunk_) work(first, std::min(chunk_, rows_ - first));
}

OutputRows Head::chunk_outputs(const void* input, const float* weights, std::int64_t first, std::int64_t rows) {
  float* const outputs = context_.activations.floats();
  linear_.forward(static_cast<const float*>(input) + first * linear_.inputs(), weights, nullptr, rows, outputs);
  return {outputs, linear_.outputs(), linear_.outputs()};
}

double Head::train(const BackwardOperands& at, const Batch& batch, std::int64_t* correct) {
  double loss = 0;
  std::int64_t hits = 0;
  float* const gradient = context_.activations.floats() + chunk_ * linear_.outputs();
  for_each_chunk([&](std::int64_t first, std::int64_t rows) {
    const OutputRows outputs = chunk_outputs(at.input, at.weights, first, rows);
    std::int64_t counted = 0;
    loss += batch_loss_gradient(loss_, outputs, rows_of(batch, first, rows), gradient, &counted);
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

EvaluationResult Head::evaluate(const ForwardOperands& at, const Batch& batch, SampleMetrics* metrics) {
  EvaluationResult sum;
  for_each_chunk([&](std::int64_t first, std::int64_t rows) {
    const EvaluationResult part = evaluate_batch_loss(loss_, chunk_outputs(at.input, at.weights, first, rows),
                                                      rows_of(batch, first, rows), metrics);
    sum.loss_sum += part.loss_sum;
    sum.correct += part.correct;
    sum.samples += part.samples;
  });
  return sum;
}

void Head::outputs(const ForwardOperands& at, float* to) const {
  linear_.forward(static_cast<const float*>(at.input), at.weights, nullptr, rows_, to);
}

}  // namespace troupe::cpu
