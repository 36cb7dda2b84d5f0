#include <algorithm>
#include <utility>

#include "models/aligned.hpp"
#include "models/data/batch_source.hpp"
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

class DatasetBatches final : public BatchSource {
 public:
  DatasetBatches(TrainingData data, std::int64_t batch_size)
      : data_(std::move(data)), batch_size_(batch_size), sampler_(training_set(data_).size(), batch_size) {
    if (data_.test) check_test_set(*data_.train, *data_.test);
  }

  const std::vector<std::int64_t>& shape() const override { return data_.train->shape(); }
  int num_classes() const override { return data_.train->num_classes(); }
  std::int64_t num_samples() const override { return data_.train->size(); }
  std::int64_t steps_per_epoch(int num_shards) const override { return sampler_.steps_per_epoch(num_shards); }

  Batch training_batch(const ShardStep& at) override {
    if (batch_size_ == 0) return whole_shard(at);
    return buffer_.gather(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
  }

  Batch test_batch(const ShardStep& at, std::int64_t index) override {
    if (!data_.test) return {};
    test_samples_.clear();
    std::int64_t next = at.shard + index * kEvaluationBatch * at.num_shards;
    for (; next < data_.test->size() && std::ssize(test_samples_) < kEvaluationBatch; next += at.num_shards) {
      test_samples_.push_back(next);
    }
    return buffer_.gather(*data_.test, test_samples_);
  }

 private:
  struct Buffer {
    AlignedFloats values;
    std::vector<std::int32_t> labels;
    std::vector<float> targets;
    Batch batch;
    int shard = -1;
    int num_shards = 0;

    /// Copies the samples here; `batch` views them.
    const Batch& gather(const Dataset& from, std::span<const std::int64_t> samples);
  };

  Batch whole_shard(const ShardStep& at);

  TrainingData data_;
  std::int64_t batch_size_;
  BatchSampler sampler_;
  Buffer buffer_;
  std::vector<Buffer> whole_shards_;
  std::vector<std::int64_t> test_samples_;
};

Batch DatasetBatches::whole_shard(const ShardStep& at) {
  const auto is_this = [&at](const Buffer& kept) { return kept.shard == at.shard && kept.num_shards == at.num_shards; };
  if (const auto kept = std::ranges::find_if(whole_shards_, is_this); kept != whole_shards_.end()) return kept->batch;

  Buffer fresh;
  fresh.shard = at.shard;
  fresh.num_shards = at.num_shards;
  fresh.gather(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
  return whole_shards_.emplace_back(std::move(fresh)).batch;
}

const Batch& DatasetBatches::Buffer::gather(const Dataset& from, std::span<const std::int64_t> samples) {
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

}  // namespace

std::int64_t BatchSource::sample_size() const {
  std::int64_t size = 1;
  for (const std::int64_t length : shape()) size *= length;
  return size;
}

std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size) {
  return std::make_unique<DatasetBatches>(std::move(data), batch_size);
}

}  // namespace troupe
