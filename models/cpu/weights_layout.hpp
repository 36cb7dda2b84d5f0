#pragma once

#include <cstdint>
#include <vector>

#include "models/cpu/onednn.hpp"
#include "models/devices/parameters.hpp"

namespace troupe::cpu {

/// The layout of a layer's weights in the flat vector: the layout that oneDNN's kernels prefer.
struct StoredWeights final : WeightsLayout {
  dnnl::memory::desc stored;            ///< the layout in the flat vector, including padding channels
  dnnl::memory::desc plain;             ///< the row-major layout with the same extents
  std::int64_t outputs = 0;             ///< number of outputs without padding; `stored` may have more rows
  std::vector<std::int64_t> positions;  ///< for each weight of a canonical row: its index in the row of `plain`

  std::size_t floats() const override { return stored.get_size() / sizeof(float); }
  std::size_t canonical_floats() const override { return static_cast<std::size_t>(outputs) * positions.size(); }
  std::string text() const override;
  void to_canonical(const float* weights, float* canonical) const override;
  void from_canonical(const float* canonical, float* weights) const override;

 private:
  /// Returns true if the floats of the layout `plain` are in canonical order and contain no padding.
  bool is_canonical() const;
  std::size_t row_length() const { return floats() / static_cast<std::size_t>(extents_of(stored)[0]); }
};

}  // namespace troupe::cpu
