#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/data/batches/batch.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The source of a model's batches. A batch is valid until the next batch is requested.
class BatchSource {
 public:
  explicit BatchSource(DataInfo info) : info_(std::move(info)) {}
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  /// Returns the description of the training set. Its number of samples is 0 if batches are drawn at random instead of
  /// taken from a set.
  const DataInfo& info() const { return info_; }
  /// Fills all further training batches in advance, even if samples can be read quickly. Called for a model that
  /// computes on a device, because the processor is idle meanwhile.
  virtual void feed_device() {}
  /// Returns ModelInfo::steps_per_epoch for this number of shards.
  virtual std::int64_t steps_per_epoch(int num_shards) const = 0;

  /// Returns the batch of shard `at.shard` for step `at.step`. The batch is empty if the shard has no more samples in
  /// this epoch.
  virtual Batch training_batch(const ShardStep& at) = 0;
  /// Returns batch number `index`, counted from 0, of the samples of `at.set` (test or validation set) that belong to
  /// shard `at.shard`. The batch is empty after the last one.
  virtual Batch test_batch(const ShardStep& at, std::int64_t index) = 0;

 private:
  DataInfo info_;
};

/// The maximum number of samples in a batch of an evaluation.
inline constexpr std::int64_t kEvaluationBatch = 500;

/// Returns the batches of a data set. BatchSampler chooses the samples of each training batch. An evaluation of a shard
/// uses, in order, the samples of the test or validation set that `shard_stretches` assigns to the shard.
/// @param batch_size samples of each shard and step. 0: the batch is the whole shard. It is read once and kept in
/// memory, unless samples vary between epochs; then it is read in each step
/// @throws Error invalid_argument if there is no training set or the batch size is negative; bad_data if samples,
/// classes or targets of another set do not match those of the training set.
std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size);

/// Returns the batches of mock images (see draw_mock_images). Each shard has one batch, which is drawn from (seed,
/// shard) when it is requested first, and returned at every step. There is no test set.
std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size);

}  // namespace troupe
