#include "models/supervised.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/data/naming.hpp"
#include "models/losses/batch_loss.hpp"
#include "runtime/clock.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

SupervisedModel::SupervisedModel(std::unique_ptr<BatchSource> source, std::vector<Metric> metrics)
    : source_(std::move(source)), metrics_(std::move(metrics)) {
  std::set<std::string> names;
  for (const Metric& metric : metrics_) {
    if (!metric.value) throw_invalid("metric '" + metric.name + "' has no function");
    if (!names.insert(metric.name).second) throw_invalid("metric '" + metric.name + "' is given twice");
    check_one_label("metric '" + metric.name + "'");
  }
}

void SupervisedModel::check_one_label(const std::string& what) const {
  if (data_info().labels_per_sample > 1)
    throw Error(ErrorCode::unsupported, what + " needs one label per sample, but this data has " +
                                            std::to_string(data_info().labels_per_sample));
}

ModelInfo SupervisedModel::prepare(const ReplicaContext& context) {
  if (context.device != Device::cpu) source_->feed_device();
  ModelInfo info = prepare_weights(context);
  info.num_samples = data_info().num_samples;
  info.steps_per_epoch = source_->steps_per_epoch(context.num_shards);
  for (const Metric& metric : metrics_) info.metrics.push_back(metric.name);
  return info;
}

BatchResult SupervisedModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const Stopwatch waiting;
  const Batch batch = source_->training_batch(at);
  const double waited = waiting.seconds();
  if (batch.size == 0) {
    std::ranges::fill(gradient, 0.0F);
    return {.data_seconds = waited, .left_out = batch.left_out};
  }
  const std::int64_t copied = bytes_over_bus();
  std::int64_t correct = BatchResult::kNotCounted;
  const double loss = naming(data_info().origin, [&] { return batch_gradient(at, batch, weights, gradient, correct); });
  return {loss, terms_of(batch), waited, batch.left_out, bytes_over_bus() - copied, correct};
}

EvaluationResult SupervisedModel::evaluate(const ShardStep& at, std::span<const float> weights) {
  if (at.measure.confusion) check_one_label("a confusion matrix");
  SampleMetrics metrics(data_info(), at.measure, metrics_);
  SampleMetrics* const asked = metrics.any() ? &metrics : nullptr;
  EvaluationResult sum;
  for (std::int64_t index = 0;; ++index) {
    const Batch batch = source_->test_batch(at, index);
    if (batch.size == 0 && batch.left_out > 0) continue;
    if (batch.size == 0) break;
    const EvaluationResult part = naming(data_info().origin, [&] { return batch_evaluate(at, batch, weights, asked); });
    sum.loss_sum += part.loss_sum;
    sum.correct += part.correct;
    sum.samples += part.samples;
  }
  metrics.write_to(sum);
  return sum;
}

}  // namespace troupe
