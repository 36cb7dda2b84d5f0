#include "troupe/layers/flatten.hpp"

#include "models/cpu/layer_kernels.hpp"

namespace troupe::models {

/// Returns null, because plans do not contain flatten layers: there is nothing to compute.
std::unique_ptr<cpu::LayerKernels> Flatten::on_cpu() const { return nullptr; }

}  // namespace troupe::models
