#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "models/data/batches/stretches.hpp"
#include "runtime/invalid.hpp"
#include "troupe/batches.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/task_context.hpp"

namespace troupe {
namespace {

Samples samples_of(const Batch& batch) {
  return {batch.size,
          {batch.values.begin(), batch.values.end()},
          {batch.labels.begin(), batch.labels.end()},
          {batch.targets.begin(), batch.targets.end()}};
}

}  // namespace

/// Computes which samples belong to a batch. Keeps the sampler of the last call, and uses this sampler again if the
/// next call has the same batch size. Thread-safe, because DataShard is thread-safe.
class DataShard::Order {
 public:
  std::vector<std::int64_t> batch(const DataShard& shard, std::int64_t number, std::int64_t batch_size) {
    const std::lock_guard lock(mutex_);
    if (!sampler_ || batch_size_ != batch_size) sampler_.emplace(shard.info(), batch_size);
    batch_size_ = batch_size;
    const auto samples = sampler_->batch(shard.rank_, shard.size_, number, shard.seed_);
    return {samples.begin(), samples.end()};
  }

  /// Returns a source that reads batches ahead of a loop. The loops of one epoch after the other use the same source,
  /// so that the first batches of an epoch are read ahead, too. Loops at the same time have sources of their own.
  std::shared_ptr<BatchSource> source_of_loop(const DataShard& shard, std::int64_t batch_size) {
    const std::lock_guard lock(mutex_);
    if (!source_ || source_.use_count() > 1 || source_batch_size_ != batch_size)
      source_ = dataset_batches({.train = shard.source_}, batch_size);
    source_batch_size_ = batch_size;
    return source_;
  }

 private:
  std::mutex mutex_;
  std::optional<BatchSampler> sampler_;
  std::int64_t batch_size_ = 0;
  std::shared_ptr<BatchSource> source_;
  std::int64_t source_batch_size_ = 0;
};

DataShard::DataShard(std::shared_ptr<const DataSource> source, int rank, int size, std::uint64_t seed, bool trains)
    : source_(std::move(source)),
      order_(std::make_shared<Order>()),
      rank_(rank),
      size_(size),
      seed_(seed),
      trains_(trains) {}

std::int64_t DataShard::num_samples() const {
  return count_of(shard_stretches(info().num_samples, info().parts, rank_, size_));
}

std::int64_t DataShard::batches_per_epoch(std::int64_t batch_size) const {
  if (batch_size < 1) throw_invalid("a batch must have at least 1 sample");
  return BatchSampler(info(), batch_size).steps_per_epoch(size_);
}

Samples DataShard::batch(std::int64_t number, std::int64_t batch_size) const {
  if (number < 0) throw_invalid("the number of a batch must be at least 0");
  const std::int64_t epoch = number / batches_per_epoch(batch_size);
  return read(order_->batch(*this, number, batch_size), epoch);
}

ShardBatches DataShard::batches(std::int64_t batch_size, std::int64_t epoch) const {
  const std::int64_t steps = batches_per_epoch(batch_size);
  if (epoch < 0 || epoch >= std::numeric_limits<std::int64_t>::max() / steps)
    throw_invalid("there is no epoch " + std::to_string(epoch) + ": epochs are counted from 0");
  ShardBatches::Read read = [shard = *this, batch_size](std::int64_t number) {
    return shard.batch(number, batch_size);
  };
  if (info().slow && (trains_ || !info().varies))
    read = [source = order_->source_of_loop(*this, batch_size), rank = rank_, size = size_,
            seed = seed_](std::int64_t number) {
      return samples_of(source->training_batch({.shard = rank, .num_shards = size, .step = number, .seed = seed}));
    };
  return {std::move(read), epoch * steps, (epoch + 1) * steps};
}

Samples DataShard::all() const {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> parts;
  for (const Stretch& part : shard_stretches(info().num_samples, info().parts, rank_, size_)) {
    if (part.count() > 0) parts.push_back(part.begin);
    for (std::int64_t sample = part.begin; sample < part.end; sample += part.step) numbers.push_back(sample);
  }
  source_->prefetch(parts, {});
  return read(numbers, 0);
}

Samples DataShard::read(std::span<const std::int64_t> numbers, std::int64_t epoch) const {
  Samples samples;
  samples.count = std::ssize(numbers);
  const std::size_t count = numbers.size();
  samples.values.resize(count * static_cast<std::size_t>(info().sample_size()));
  samples.labels.resize(info().num_labels(static_cast<std::size_t>(count)));
  samples.targets.resize(count * static_cast<std::size_t>(info().num_targets));
  BatchRequest request{numbers, samples.values, samples.labels, samples.targets};
  if (trains_) request.drawn = DrawnFor{seed_, epoch};
  source_->fill(request);
  return samples;
}

DataShard RunDataset::validation_shard() const {
  if (!data_.validation) throw_invalid("this data has no validation set: use to_cv, or data named fold:1/5:NAME");
  return {data_.validation, rank_, size_, seed_, /*trains=*/false};
}

DataShard RunDataset::test_shard() const {
  if (!data_.test) throw_invalid("this data has no test set");
  return {data_.test, rank_, size_, seed_, /*trains=*/false};
}

std::vector<RunDataset> RunDataset::to_cv(int folds) const {
  std::vector<RunDataset> all;
  for (TrainingData& pair : data::to_cv(data_.train, folds))
    all.emplace_back(TrainingData{std::move(pair.train), data_.test, std::move(pair.test)}, rank_, size_, seed_);
  return all;
}

}  // namespace troupe
