#pragma once

#include "models/cpu/layer_kernels.hpp"
#include "troupe/layers/window.hpp"

namespace troupe::cpu {

/// A pooling of any windows, oneDNN's, with a ReLU behind it where the plan says so.
/// @param how dnnl::algorithm::pooling_max, or one of the averages
std::unique_ptr<Operation> make_window_pool(Context& context, const PlacedLayer& layer, const models::Window& window,
                                            dnnl::algorithm how, std::int64_t batch);

/// Whether the layer is a max-pooling of floats whose windows neither overlap nor reach over the edge.
bool is_plain_max_pool(const PlacedLayer& layer);
std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch);

}  // namespace troupe::cpu
