#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/data/batches/batch.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The source of a model's samples. A batch is valid until the next batch is requested.
class BatchSource {
 public:
  explicit BatchSource(DataInfo info) : info_(std::move(info)) {}
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  /// Describes the training set; has no samples if batches are drawn.
  const DataInfo& info() const { return info_; }
  /// Fills all further training batches in advance, whatever their source. For a model that computes on a device while
  /// the processor is idle.
  virtual void feed_device() {}
  /// See Model.
  virtual std::int64_t steps_per_epoch(int num_shards) const = 0;

  /// Returns the shard's batch of this step; empty if the shard has no more samples.
  virtual Batch training_batch(const ShardStep& at) = 0;
  /// Returns batch `index` = 0, 1, ... of the shard's part of the set in `at`; empty after the last one.
  virtual Batch test_batch(const ShardStep& at, std::int64_t index) = 0;

 private:
  DataInfo info_;
};

/// The largest batch of an evaluation.
inline constexpr std::int64_t kEvaluationBatch = 500;

/// Returns batches of a data set, drawn by BatchSampler. A shard is evaluated, in order, on the samples of the test or
/// validation set that it would own there (`shard_stretches`).
/// @param batch_size samples per shard and step; 0: the whole shard, gathered once and kept unless samples vary
/// @throws Error invalid_argument for missing data or a negative batch size; bad_data if another set's samples, classes
/// or targets do not match the training set's.
std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size);

/// Returns one batch per shard, drawn from (seed, shard) on first use and kept; there is no test set. See
/// draw_mock_images.
std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size);

}  // namespace troupe
