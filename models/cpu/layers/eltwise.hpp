#pragma once

#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

/// An activation that oneDNN has, value by value. Floats that pad the channels stay zero.
class EltwiseKernels final : public LayerKernels {
 public:
  /// @param algorithm whose backward pass reads the input, or the output where it ends in `use_dst_for_bwd`
  explicit EltwiseKernels(dnnl::algorithm algorithm) : algorithm_(algorithm) {}

  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override;

 private:
  dnnl::algorithm algorithm_;
};

}  // namespace troupe::cpu
