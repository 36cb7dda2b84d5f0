#include "troupe/layers/average_pool.hpp"

#include "models/cpu/layers/window_pool.hpp"

namespace troupe::cpu {

namespace {

class AveragePoolKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    const models::Window& window = spec_of<models::AveragePool>(layer).window();
    return make_window_pool(context, layer, window, dnnl::algorithm::pooling_avg_include_padding, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> AveragePool::on_cpu() const { return std::make_unique<cpu::AveragePoolKernels>(); }

}  // namespace troupe::models
