#pragma once

#include <optional>

#include "models/cpu/onednn_versions.hpp"

namespace troupe::cpu {

/// Converts convolution weights from the stored layout (floats in blocks of 16 inputs x 16 outputs) to a bfloat16
/// layout of the forward pass or of the data gradient. oneDNN's reorder takes twice as long.
class BlockConversion {
 public:
  /// Returns the conversion from `stored` to `wanted`, or nothing if this class does not support these layouts.
  static std::optional<BlockConversion> make(const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  void run(const float* from, void* to) const;

 private:
  /// Numbers of blocks, and distances between blocks, for each dimension: outputs, inputs, rows, columns.
  dnnl::memory::dims counts_;
  dnnl::memory::dims from_strides_;
  dnnl::memory::dims to_strides_;
  bool pairs_outputs_;  ///< true: the values of two outputs share a word; false: those of two inputs
};

}  // namespace troupe::cpu
