#include "models/supervised.hpp"

#include <algorithm>

#include "models/data/naming.hpp"
#include "runtime/clock.hpp"

namespace troupe {

ModelInfo SupervisedModel::prepare(const ReplicaContext& context) {
  ModelInfo info = prepare_weights(context);
  info.num_samples = data_info().num_samples;
  info.steps_per_epoch = source_->steps_per_epoch(context.num_shards);
  return info;
}

BatchResult SupervisedModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const Stopwatch waiting;
  const Batch batch = source_->training_batch(at);
  const double waited = waiting.seconds();
  if (batch.size == 0) {
    std::ranges::fill(gradient, 0.0F);
    return {.data_seconds = waited};
  }
  const double loss = naming(data_info().origin, [&] { return batch_gradient(at, batch, weights, gradient); });
  return {loss, batch.size, waited};
}

EvaluationResult SupervisedModel::evaluate(const ShardStep& at, std::span<const float> weights) {
  EvaluationResult sum;
  for (std::int64_t index = 0;; ++index) {
    const Batch batch = source_->test_batch(at, index);
    if (batch.size == 0) return sum;
    const EvaluationResult part = naming(data_info().origin, [&] { return batch_evaluate(at, batch, weights); });
    sum.loss_sum += part.loss_sum;
    sum.correct += part.correct;
    sum.samples += part.samples;
  }
}

}  // namespace troupe
