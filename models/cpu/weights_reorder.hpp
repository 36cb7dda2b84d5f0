#pragma once

#include <optional>

#include "models/cpu/onednn_versions.hpp"

namespace troupe::cpu {

/// Converts convolution weights from the layout in the flat vector (floats in blocks of 16 inputs x 16 outputs) to
/// bfloat16. The new layout is that of the forward pass or of the data gradient. oneDNN's own conversion takes twice as
/// long.
class BlockConversion {
 public:
  /// Returns a conversion from the layout `stored` to the layout `wanted`. Returns nothing if this class does not
  /// support these layouts.
  static std::optional<BlockConversion> make(const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  void run(const float* from, void* to) const;

 private:
  /// The number of blocks, and the distances between blocks, for each dimension. Dimensions are outputs, inputs, rows,
  /// columns.
  dnnl::memory::dims counts_;
  dnnl::memory::dims from_strides_;
  dnnl::memory::dims to_strides_;
  bool pairs_outputs_;  ///< true: the values of two outputs share a 32-bit word; false: those of two inputs
};

}  // namespace troupe::cpu
