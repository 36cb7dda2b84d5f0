#pragma once

#include <dnnl.hpp>

#include "models/network/network_plan.hpp"
#include "troupe/layers/window.hpp"

namespace troupe::cpu {

/// A window as oneDNN's poolings take it.
struct PoolWindow {
  dnnl::memory::dims strides, kernel, padding, far_padding;

  PoolWindow(const models::Window& window, const PlannedLayer& layer)
      : strides(2, window.stride),
        kernel(2, window.kernel),
        padding(2, window.padding),
        far_padding{window.far_padding(layer.input.height, layer.output.height),
                    window.far_padding(layer.input.width, layer.output.width)} {}
};

}  // namespace troupe::cpu
