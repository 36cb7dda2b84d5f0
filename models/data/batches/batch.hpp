#pragma once

#include <cstdint>
#include <span>

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
/// address that is a multiple of 64. For data with classes, `labels` contains one class for each sample, and `targets`
/// is empty. For data with targets, `targets` contains DataInfo::num_targets floats for each sample, and `labels` is
/// empty.
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

}  // namespace troupe
