#pragma once

#include "models/cpu/layer_kernels.hpp"
#include "troupe/layers/window.hpp"

namespace troupe::cpu {

/// Creates a pooling operation for any windows, by oneDNN. It applies a ReLU if the plan requires it.
/// @param how dnnl::algorithm::pooling_max, or one of the averages
std::unique_ptr<Operation> make_window_pool(Context& context, const PlacedLayer& layer, const models::Window& window,
                                            dnnl::algorithm how, std::int64_t batch);

/// Returns true if the layer is a max-pooling of floats whose windows neither overlap nor extend beyond the edge.
bool is_plain_max_pool(const PlacedLayer& layer);
std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch);

}  // namespace troupe::cpu
