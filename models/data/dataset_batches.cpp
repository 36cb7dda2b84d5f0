#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/data/batch_memory.hpp"
#include "models/data/batch_source.hpp"
#include "models/data/read_ahead.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// What a replica has read before it is asked for.
constexpr std::size_t kMostBytesAhead = std::size_t{64} << 20;
constexpr std::int64_t kStepsAhead = 3;

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
    if (info().slow) ahead_.emplace(data_.train, kMostBytesAhead);
    if (!data_.test) return;
    check_test_set(info(), data_.test->info());
    if (data_.test->info().slow) test_ahead_.emplace(data_.test, kMostBytesAhead);
  }

  std::int64_t steps_per_epoch(int num_shards) const override { return sampler_.steps_per_epoch(num_shards); }

  Batch training_batch(const ShardStep& at) override {
    if (batch_size_ == 0 && !info().varies) return whole_shard(at);
    if (info().slow) return read_ahead(at);
    return memory_.fill(*data_.train, samples_of(at), drawn_for(at));
  }

  Batch test_batch(const ShardStep& at, std::int64_t index) override {
    if (!data_.test) return {};
    if (!test_ahead_) return memory_.fill(*data_.test, test_samples(at, index));
    const auto key = [&](std::int64_t number) { return ReadAhead::Key{at.shard, at.num_shards, number, 0}; };
    if (!test_ahead_->expects(key(index))) test_ahead_->forget(at.shard);
    test_ahead_->need(key(index), test_samples(at, index), {});
    test_ahead_->expect(key(index + 1), test_samples(at, index + 1), {});
    return test_ahead_->take(key(index));
  }

 private:
  struct WholeShard {
    int shard = 0;
    int num_shards = 0;
    BatchMemory memory = {};
  };

  Batch whole_shard(const ShardStep& at);
  Batch read_ahead(const ShardStep& at);

  std::span<const std::int64_t> samples_of(const ShardStep& at) {
    return sampler_.batch(at.shard, at.num_shards, at.step, at.seed);
  }
  DrawnFor drawn_for(const ShardStep& at) const {
    return {at.seed, at.step / std::max<std::int64_t>(1, steps_per_epoch(at.num_shards))};
  }

  std::span<const std::int64_t> test_samples(const ShardStep& at, std::int64_t index) {
    test_samples_.clear();
    std::int64_t next = at.shard + index * kEvaluationBatch * at.num_shards;
    for (; next < data_.test->info().num_samples && std::ssize(test_samples_) < kEvaluationBatch; next += at.num_shards)
      test_samples_.push_back(next);
    return test_samples_;
  }

  TrainingData data_;
  std::int64_t batch_size_;
  BatchSampler sampler_;
  BatchMemory memory_;
  std::vector<WholeShard> whole_shards_;
  std::vector<std::int64_t> test_samples_;
  std::optional<ReadAhead> ahead_;  ///< of slow data
  std::optional<ReadAhead> test_ahead_;
};

/// Batches of the next steps are filled while the model computes on this one's.
Batch DatasetBatches::read_ahead(const ShardStep& at) {
  const auto key = [](const ShardStep& step) {
    return ReadAhead::Key{step.shard, step.num_shards, step.step, step.seed};
  };
  if (!ahead_->expects(key(at))) {
    ahead_->forget(at.shard);
    ahead_->need(key(at), samples_of(at), drawn_for(at));
  }
  const Batch batch = ahead_->take(key(at));
  ShardStep next = at;
  for (++next.step; next.step <= at.step + kStepsAhead; ++next.step)
    if (!ahead_->expects(key(next))) ahead_->expect(key(next), samples_of(next), drawn_for(next));
  return batch;
}

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
