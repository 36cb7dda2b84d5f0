#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/data/batches/batch.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Provides the batches for a model. A batch is valid until the model requests the next batch.
class BatchSource {
 public:
  explicit BatchSource(DataInfo info) : info_(std::move(info)) {}
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  /// Returns the description of the training set. DataInfo::num_samples is 0 if this object generates random batches
  /// instead of taking samples from a set.
  const DataInfo& info() const { return info_; }
  /// Makes this object fill all further training batches in advance, even if samples can be read quickly. Called for a
  /// model that computes on an accelerator, because the CPU is idle while the accelerator computes. Default: does
  /// nothing.
  virtual void feed_device() {}
  /// Returns the value of ModelInfo::steps_per_epoch for a run with `num_shards` shards.
  virtual std::int64_t steps_per_epoch(int num_shards) const = 0;

  /// Returns the training batch of shard `at.shard` for step `at.step`. The batch is empty if the shard has no samples
  /// left in the epoch of this step.
  virtual Batch training_batch(const ShardStep& at) = 0;
  /// Returns batch number `index`, counted from 0, for an evaluation. The batches contain the samples of `at.set` (the
  /// test or the validation set) that belong to shard `at.shard`. If `index` is after the last batch, returns an empty
  /// batch.
  virtual Batch test_batch(const ShardStep& at, std::int64_t index) = 0;

 private:
  DataInfo info_;
};

/// The maximum number of samples in a batch of an evaluation.
inline constexpr std::int64_t kEvaluationBatch = 500;

/// Returns a source of batches with the samples of `data`. BatchSampler chooses the samples of each training batch. An
/// evaluation of a shard uses, in order, the samples of the test or validation set that `shard_stretches` assigns to
/// the shard.
/// @param batch_size the number of samples for each shard and step. 0: each batch is the whole shard. A whole shard is
/// read once and kept in memory; if samples vary between epochs, it is read in each step instead
/// @throws Error invalid_argument if there is no training set or the batch size is negative; bad_data if samples,
/// classes or targets of the test or validation set do not match those of the training set.
std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size);

/// Returns a source of batches with random images (see draw_mock_images). Each shard has a single batch, which is
/// generated at the first request and returned at every step. The batch depends only on the seed, the shard and the
/// arguments. There is no test set.
/// @param size the height and width of the images in pixels
std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size);

}  // namespace troupe
