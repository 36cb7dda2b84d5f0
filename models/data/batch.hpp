#pragma once

#include <cstdint>
#include <span>

namespace troupe {

/// Samples gathered one after the other, row-major, `values` on a 64-byte boundary. Either `labels` (classes) or
/// `targets` (regressions) has `size` entries, the other is empty.
struct Batch {
  std::int64_t size = 0;
  std::span<const float> values;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
};

}  // namespace troupe
