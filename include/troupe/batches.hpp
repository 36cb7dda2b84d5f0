#pragma once

// Batches of samples for models of your own: the samples of each shard and step, read ahead of the step.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

struct Batch;

/// Gives access to a batch that is filled in advance. With it, an accelerator can copy the next batch before the model
/// requests the batch.
class BatchesAhead {
 public:
  BatchesAhead() = default;
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;
  virtual ~BatchesAhead() = default;

  /// Returns the batch that the model will probably request next, or an empty batch if that batch is not ready. Must be
  /// called by the thread that requested the last batch. The result is valid until this thread requests another batch.
  virtual Batch peek() const = 0;
};

/// A batch: samples of one shard. `values` contains the samples one after the other, each row-major, and starts at an
/// address that is a multiple of 64. For data with classes, `labels` contains DataInfo::labels_per_sample labels
/// for each sample, and `targets` is empty. For data with targets, `targets` contains DataInfo::num_targets floats for
/// each sample, and `labels` is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::span<const std::int64_t> numbers = {};  ///< the number of each sample in its data source, for error messages;
                                               ///< empty if there is no data source
  std::int64_t left_out = 0;                   ///< number of samples that belong to the batch, but could not be read
                                               ///< and are missing from it
  /// A number that identifies the content of `values`. If an accelerator has already copied values with this number, it
  /// need not copy `values` again. 0: the content has no number.
  std::uint64_t content = 0;
  const BatchesAhead* ahead = nullptr;  ///< gives access to the batch after this one; null if unknown
};

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

}  // namespace troupe
