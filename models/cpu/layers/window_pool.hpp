#pragma once

#include "models/cpu/layer_kernels.hpp"
#include "troupe/layers/window.hpp"

namespace troupe::cpu {

/// Creates a pooling operation, computed by oneDNN, for windows of any size and stride. The operation applies a ReLU if
/// the plan requires it.
/// @param how dnnl::algorithm::pooling_max, or one of oneDNN's algorithms for averages
std::unique_ptr<Operation> make_window_pool(Context& context, const PlacedLayer& layer, const models::Window& window,
                                            dnnl::algorithm how, std::int64_t batch);

/// Returns true if the layer is a max-pooling of floats whose windows neither overlap nor extend beyond the edge of the
/// image. `make_plain_max_pool` creates the operation of such a layer, without oneDNN.
bool is_plain_max_pool(const PlacedLayer& layer);
std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch);

}  // namespace troupe::cpu
