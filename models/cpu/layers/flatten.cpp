#include "troupe/layers/flatten.hpp"

#include "models/cpu/layer_kernels.hpp"

namespace troupe::models {

/// There is nothing to compute: plans omit this layer.
std::unique_ptr<cpu::LayerKernels> Flatten::on_cpu() const { return nullptr; }

}  // namespace troupe::models
