#pragma once

#include <cstdint>
#include <span>

namespace troupe {

struct Batch;

/// Batches that are filled in advance.
class BatchesAhead {
 public:
  BatchesAhead() = default;
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;
  virtual ~BatchesAhead() = default;

  /// Returns the batch that will probably be requested next. Call it from the thread that took the last batch; the
  /// result is valid until that thread takes another. Returns an empty batch if it is not ready.
  virtual Batch peek() const = 0;
};

/// Consecutive samples, row-major; `values` starts on a 64-byte boundary. Either `labels` (one class per sample) or
/// `targets` (as many per sample as the data has) is filled, the other is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::span<const std::int64_t> numbers = {};  ///< the samples' numbers in their source, for errors; empty if there is
                                               ///< no source
  std::int64_t left_out = 0;                   ///< number of samples that could not be read and are missing here
  /// A number that identifies these values in this process. A device that has copied the values need not copy them
  /// again. 0: the values may be any.
  std::uint64_t content = 0;
  const BatchesAhead* ahead = nullptr;  ///< the batches that follow; null if unknown
};

}  // namespace troupe
