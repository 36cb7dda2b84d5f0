#pragma once

#include <cstdint>
#include <span>

namespace troupe {

/// Samples one after the other, row-major, `values` on a 64-byte boundary. Either `labels` (a class a sample) or
/// `targets` (as many a sample as the data has) is there, the other is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::span<const std::int64_t> numbers = {};  ///< of the samples in their source, for errors; empty without one
  std::int64_t left_out = 0;                   ///< samples that could not be read, and are not among these
};

}  // namespace troupe
