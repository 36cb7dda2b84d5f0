#pragma once

#include <optional>

#include "models/cpu/onednn_versions.hpp"

namespace troupe::cpu {

/// Converts convolution weights from the stored layout (floats in blocks of 16 inputs x 16 outputs) to the bfloat16
/// layouts of the forward and the data pass, at memory speed. oneDNN's reorder takes twice as long.
class BlockConversion {
 public:
  /// Returns nothing for other layouts.
  static std::optional<BlockConversion> make(const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  void run(const float* from, void* to) const;

 private:
  /// Numbers of blocks and distances between blocks, by dimension: outputs, inputs, rows, columns.
  dnnl::memory::dims counts_;
  dnnl::memory::dims from_strides_;
  dnnl::memory::dims to_strides_;
  bool pairs_outputs_;  ///< which two bfloat16 values share a word: true: outputs, false: inputs
};

}  // namespace troupe::cpu
