#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

void LayerKernels::place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const {
  layer.output.height = layer.planned.output.height;
  layer.output.width = layer.planned.output.width;
}

std::unique_ptr<Operation> LayerKernels::make_joined(Context& /*context*/, const PlacedLayer& layer,
                                                     const PlacedLayer& /*next*/, std::int64_t /*batch*/) const {
  throw Error(ErrorCode::unsupported, layer.planned.layer->kind() + " cannot be joined with the layer after it");
}

}  // namespace troupe::cpu
