#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/data/batches/batch.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Where a model's samples come from. A batch is valid until the next one is asked for.
class BatchSource {
 public:
  explicit BatchSource(DataInfo info) : info_(std::move(info)) {}
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  /// Of the training set; without samples where batches are drawn.
  const DataInfo& info() const { return info_; }
  /// From now on batches of training are filled before they are asked for, whatever they come from: for a model that
  /// computes elsewhere, beside an idle processor.
  virtual void feed_device() {}
  /// See Model.
  virtual std::int64_t steps_per_epoch(int num_shards) const = 0;

  /// The shard's batch of this step; empty when the shard has run out.
  virtual Batch training_batch(const ShardStep& at) = 0;
  /// Batch `index` = 0, 1, ... of the shard's part of the set that `at` names; empty behind the last.
  virtual Batch test_batch(const ShardStep& at, std::int64_t index) = 0;

 private:
  DataInfo info_;
};

/// No batch of a test set is larger.
inline constexpr std::int64_t kEvaluationBatch = 500;

/// Batches of a data set, drawn by BatchSampler. A shard is evaluated on those samples of the test or validation set
/// that would be its own there (`shard_stretches`), in order.
/// @param batch_size samples a shard and step; 0 takes the whole shard, gathered once and kept unless samples vary.
/// @throws Error invalid_argument for missing data or a negative batch size, bad_data when another set's samples,
/// classes or targets are not the training set's.
std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size);

/// One batch a shard, drawn from (seed, shard) when it is first asked for, and kept; no test set. See draw_mock_images.
std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size);

}  // namespace troupe
