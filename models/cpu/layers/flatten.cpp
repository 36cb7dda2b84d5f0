#include "troupe/layers/flatten.hpp"

#include "models/cpu/layer_kernels.hpp"

namespace troupe::models {

/// Nothing to compute: plans leave it out.
std::unique_ptr<cpu::LayerKernels> Flatten::on_cpu() const { return nullptr; }

}  // namespace troupe::models
