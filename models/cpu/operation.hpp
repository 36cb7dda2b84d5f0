#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/elementwise.hpp"
#include "models/cpu/onednn.hpp"
#include "models/cpu/weights_layout.hpp"
#include "models/devices/operation.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// A layer with its place in memory; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  std::shared_ptr<const LayerKernels> kernels;
  Layout input;
  Layout output;
  LayerParameters parameters;              ///< of layers that have any
  std::shared_ptr<StoredWeights> weights;  ///< the same as the parameters'; null: it has none
  bool gradient_stops = false;             ///< nothing before it learns, so it need not pass a gradient on
};

}  // namespace troupe::cpu
