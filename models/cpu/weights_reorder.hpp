#pragma once

#include <optional>

#include "models/cpu/onednn_versions.hpp"

namespace troupe::cpu {

/// Converts convolution weights from the stored layout, floats in blocks of 16 inputs x 16 outputs, to the bfloat16
/// layouts of the forward and the data pass, at the speed of memory: oneDNN's reorder takes twice as long.
class BlockConversion {
 public:
  /// Nothing where the layouts are others.
  static std::optional<BlockConversion> make(const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  void run(const float* from, void* to) const;

 private:
  /// Numbers of blocks, and how far one is from the next, by dimension: outputs, inputs, rows, columns.
  dnnl::memory::dims counts_;
  dnnl::memory::dims from_strides_;
  dnnl::memory::dims to_strides_;
  bool pairs_outputs_;  ///< else inputs: which two values of bfloat16 share a word
};

}  // namespace troupe::cpu
