#include "troupe/layers/max_pool.hpp"

#include "models/cpu/layers/window_pool.hpp"

namespace troupe::cpu {

namespace {

class MaxPoolKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    if (is_plain_max_pool(layer)) return make_plain_max_pool(layer, batch);
    const models::Window& window = spec_of<models::MaxPool>(layer).window();
    return make_window_pool(context, layer, window, dnnl::algorithm::pooling_max, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> MaxPool::on_cpu() const { return std::make_unique<cpu::MaxPoolKernels>(); }

}  // namespace troupe::models
