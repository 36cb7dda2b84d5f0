#pragma once

#include <cstdint>
#include <span>

namespace troupe {

struct Batch;

/// Batches that are filled before they are asked for.
class BatchesAhead {
 public:
  BatchesAhead() = default;
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;
  virtual ~BatchesAhead() = default;

  /// The one that is likely asked for next, for the thread that took the last one and until it takes another; empty
  /// unless it is there already.
  virtual Batch peek() const = 0;
};

/// Samples one after the other, row-major, `values` on a 64-byte boundary. Either `labels` (a class a sample) or
/// `targets` (as many a sample as the data has) is there, the other is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::span<const std::int64_t> numbers = {};  ///< of the samples in their source, for errors; empty without one
  std::int64_t left_out = 0;                   ///< samples that could not be read, and are not among these
  /// A number that these values alone have in this process, so that who has copied them need not do it again; 0: they
  /// may be any.
  std::uint64_t content = 0;
  const BatchesAhead* ahead = nullptr;  ///< what comes after it; null where nothing is known of that
};

}  // namespace troupe
