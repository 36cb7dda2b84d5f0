#include <algorithm>
#include <utility>
#include <vector>

#include "models/data/batch_memory.hpp"
#include "models/data/batch_source.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

const DataInfo& training_info(const TrainingData& data) {
  if (!data.train) throw_invalid("a model without training data");
  return data.train->info();
}

void check_test_set(const DataInfo& train, const DataInfo& test) {
  if (test.shape == train.shape && test.num_classes == train.num_classes && test.num_targets == train.num_targets)
    return;
  throw Error(ErrorCode::bad_data, "the test set's samples, classes or targets are not the training set's");
}

class DatasetBatches final : public BatchSource {
 public:
  DatasetBatches(TrainingData data, std::int64_t batch_size)
      : BatchSource(training_info(data)),
        data_(std::move(data)),
        batch_size_(batch_size),
        sampler_(info().num_samples, batch_size) {
    if (data_.test) check_test_set(info(), data_.test->info());
  }

  std::int64_t steps_per_epoch(int num_shards) const override { return sampler_.steps_per_epoch(num_shards); }

  Batch training_batch(const ShardStep& at) override {
    if (batch_size_ == 0 && !info().varies) return whole_shard(at);
    const std::int64_t epoch = at.step / std::max<std::int64_t>(1, steps_per_epoch(at.num_shards));
    return memory_.fill(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed),
                        DrawnFor{at.seed, epoch});
  }

  Batch test_batch(const ShardStep& at, std::int64_t index) override {
    if (!data_.test) return {};
    test_samples_.clear();
    std::int64_t next = at.shard + index * kEvaluationBatch * at.num_shards;
    for (; next < data_.test->info().num_samples && std::ssize(test_samples_) < kEvaluationBatch; next += at.num_shards)
      test_samples_.push_back(next);
    return memory_.fill(*data_.test, test_samples_);
  }

 private:
  struct WholeShard {
    int shard = 0;
    int num_shards = 0;
    BatchMemory memory = {};
  };

  Batch whole_shard(const ShardStep& at);

  TrainingData data_;
  std::int64_t batch_size_;
  BatchSampler sampler_;
  BatchMemory memory_;
  std::vector<WholeShard> whole_shards_;
  std::vector<std::int64_t> test_samples_;
};

Batch DatasetBatches::whole_shard(const ShardStep& at) {
  const auto is_this = [&at](const WholeShard& kept) {
    return kept.shard == at.shard && kept.num_shards == at.num_shards;
  };
  if (const auto kept = std::ranges::find_if(whole_shards_, is_this); kept != whole_shards_.end())
    return kept->memory.batch();

  WholeShard fresh{at.shard, at.num_shards};
  fresh.memory.fill(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
  return whole_shards_.emplace_back(std::move(fresh)).memory.batch();
}

}  // namespace

std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size) {
  return std::make_unique<DatasetBatches>(std::move(data), batch_size);
}

}  // namespace troupe
