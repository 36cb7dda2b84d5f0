#pragma once

#include <cstdint>
#include <span>

namespace troupe {

struct Batch;

/// Batches that are filled in advance. A device can copy the next batch before it is requested.
class BatchesAhead {
 public:
  BatchesAhead() = default;
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;
  virtual ~BatchesAhead() = default;

  /// Returns the batch that will probably be requested next, or an empty batch if that batch is not ready. Must be
  /// called by the thread that took the last batch. The result is valid until this thread takes another batch.
  virtual Batch peek() const = 0;
};

/// Samples of one shard, one after the other, each row-major. `values` starts on a 64-byte boundary. For data with
/// classes, `labels` contains one class for each sample, and `targets` is empty. For data with targets, `targets`
/// contains DataInfo::num_targets floats for each sample, and `labels` is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::span<const std::int64_t> numbers = {};  ///< the samples' numbers in their source, for errors; empty if there is
                                               ///< no source
  std::int64_t left_out = 0;                   ///< number of samples that could not be read and are not in this batch
  /// Identifies the values. If a device has already copied values with this number, it need not copy them again. 0: the
  /// values are not identified.
  std::uint64_t content = 0;
  const BatchesAhead* ahead = nullptr;  ///< the batches that follow; null if unknown
};

}  // namespace troupe
