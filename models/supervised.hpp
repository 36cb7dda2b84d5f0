#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/aligned.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Samples gathered one after the other, `values` on a 64-byte boundary. Either `labels` (classes) or `targets`
/// (regressions) has `size` entries, the other is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
};

/// A model that learns from labelled samples: draws each shard's batch, gathers it and hands it to the derived
/// class, and walks over the test set in batches.
class SupervisedModel : public Model {
 public:
  /// No evaluation batch is larger.
  static constexpr std::int64_t kEvaluationBatch = 500;

  /// @param batch_size samples a shard and step; 0 takes the whole shard, gathered once and kept.
  /// @throws Error invalid_argument for missing data or a negative batch size, bad_data when the test set's
  /// samples or classes are not the training set's.
  SupervisedModel(TrainingData data, std::int64_t batch_size);

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) final;
  /// Shard s of V measures the test samples s, s + V, ...
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) final;

  std::int64_t num_samples() const final { return data_.train->size(); }
  std::int64_t steps_per_epoch(int num_shards) const final { return sampler_.steps_per_epoch(num_shards); }

 protected:
  const Dataset& train_set() const { return *data_.train; }

  /// Writes the gradient of the sum of the batch's losses, all `size()` floats of it, and returns that sum.
  /// Never called with an empty batch. The batch's size may differ from call to call.
  virtual double batch_gradient(const Batch& batch, std::span<const float> weights, std::span<float> gradient) = 0;

  /// Loss sum, hits and sample count of a batch of the test set.
  virtual EvaluationResult batch_evaluate(const Batch& batch, std::span<const float> weights) = 0;

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

  Batch training_batch(const ShardStep& at);
  Batch whole_shard(const ShardStep& at);

  TrainingData data_;
  std::int64_t batch_size_;
  BatchSampler sampler_;
  Buffer buffer_;
  std::vector<Buffer> whole_shards_;
  std::vector<std::int64_t> test_samples_;
};

}  // namespace troupe
