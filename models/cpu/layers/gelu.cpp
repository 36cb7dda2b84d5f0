#include "troupe/layers/gelu.hpp"

#include "models/cpu/layers/eltwise.hpp"

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Gelu::on_cpu() const {
  return std::make_unique<cpu::EltwiseKernels>(dnnl::algorithm::eltwise_gelu_erf);
}

}  // namespace troupe::models
