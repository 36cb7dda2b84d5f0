#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/batches.hpp"
#include "troupe/data.hpp"
#include "troupe/model.hpp"
#include "troupe/torch.hpp"

namespace troupe {

/// Provides the batches of a replica as tensors. A batch is valid until the next one is requested.
class TorchBatches {
 public:
  TorchBatches() = default;
  TorchBatches(const TorchBatches&) = delete;
  TorchBatches& operator=(const TorchBatches&) = delete;
  virtual ~TorchBatches() = default;

  /// A batch, and what its result must contain about reading it.
  struct Read {
    TorchBatch batch;
    std::int64_t left_out = 0;  ///< see BatchResult::left_out
    Batch samples = {};         ///< the same samples for metrics; empty for a TorchDataset
  };

  /// Returns the description of the samples. For a TorchDataset, it contains only the number of samples.
  virtual const DataInfo& info() const = 0;
  virtual std::int64_t steps_per_epoch(int num_shards) const = 0;
  /// Returns the batch of a shard for a step. It is empty if the shard has no samples left in the epoch of the step.
  virtual Read training_batch(const ShardStep& at) = 0;
  /// See BatchSource::test_batch.
  virtual Read test_batch(const ShardStep& at, std::int64_t index) = 0;
};

/// Returns a tensor of prepared samples, which is a view of their memory.
/// @param owner keeps the memory as long as the tensor or a view of it exists; may be null
torch::Tensor view_of_samples(std::span<const float> samples, const DataInfo& info,
                              std::shared_ptr<const void> owner = nullptr);

/// @throws Error the exceptions of load_data and dataset_batches; invalid_argument if a TorchDataset has no samples
std::unique_ptr<TorchBatches> torch_batches(const TorchData& data, std::int64_t batch_size, std::uint64_t seed);

}  // namespace troupe
