#include "troupe/layers/tanh.hpp"

#include "models/cpu/layers/eltwise.hpp"

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Tanh::on_cpu() const {
  return std::make_unique<cpu::EltwiseKernels>(dnnl::algorithm::eltwise_tanh_use_dst_for_bwd);
}

}  // namespace troupe::models
