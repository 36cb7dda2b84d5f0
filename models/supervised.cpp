#include "models/supervised.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

const Dataset& training_set(const TrainingData& data) {
  if (!data.train) throw Error(ErrorCode::invalid_argument, "a model without training data");
  return *data.train;
}

void check_test_set(const Dataset& train, const Dataset& test) {
  if (test.shape() != train.shape() || test.num_classes() != train.num_classes()) {
    throw Error(ErrorCode::bad_data, "the test set's samples or classes are not the training set's");
  }
}

}  // namespace

SupervisedModel::SupervisedModel(TrainingData data, std::int64_t batch_size)
    : data_(std::move(data)), batch_size_(batch_size), sampler_(training_set(data_).size(), batch_size) {
  if (data_.test) check_test_set(*data_.train, *data_.test);
}

BatchResult SupervisedModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const Batch batch = batch_size_ == 0 ? whole_shard(at) : training_batch(at);
  if (batch.size == 0) {
    std::ranges::fill(gradient, 0.0F);
    return {};
  }
  return {batch_gradient(batch, weights, gradient), batch.size};
}

EvaluationResult SupervisedModel::evaluate(const ShardStep& at, std::span<const float> weights) {
  EvaluationResult sum;
  if (!data_.test) return sum;
  for (std::int64_t next = at.shard; next < data_.test->size();) {
    test_samples_.clear();
    for (; next < data_.test->size() && std::ssize(test_samples_) < kEvaluationBatch; next += at.num_shards) {
      test_samples_.push_back(next);
    }
    const EvaluationResult part = batch_evaluate(buffer_.gather(*data_.test, test_samples_), weights);
    sum.loss_sum += part.loss_sum;
    sum.correct += part.correct;
    sum.samples += part.samples;
  }
  return sum;
}

Batch SupervisedModel::training_batch(const ShardStep& at) {
  return buffer_.gather(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
}

Batch SupervisedModel::whole_shard(const ShardStep& at) {
  const auto is_this = [&at](const Buffer& kept) { return kept.shard == at.shard && kept.num_shards == at.num_shards; };
  if (const auto kept = std::ranges::find_if(whole_shards_, is_this); kept != whole_shards_.end()) return kept->batch;

  Buffer fresh;
  fresh.shard = at.shard;
  fresh.num_shards = at.num_shards;
  fresh.gather(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
  return whole_shards_.emplace_back(std::move(fresh)).batch;
}

const Batch& SupervisedModel::Buffer::gather(const Dataset& from, std::span<const std::int64_t> samples) {
  values.resize(samples.size() * static_cast<std::size_t>(from.sample_size()));
  from.gather(samples, values);
  const auto pick = [samples](const auto& all, auto& picked) {
    picked.clear();
    if (all.empty()) return;
    for (const std::int64_t sample : samples) picked.push_back(all[static_cast<std::size_t>(sample)]);
  };
  pick(from.labels(), labels);
  pick(from.target_values(), targets);
  batch = {std::ssize(samples), values, labels, targets};
  return batch;
}

}  // namespace troupe
