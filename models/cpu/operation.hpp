#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/elementwise.hpp"
#include "models/cpu/onednn.hpp"
#include "models/cpu/weights_layout.hpp"
#include "models/devices/operation.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// A layer with its memory layouts; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  std::shared_ptr<const LayerKernels> kernels;
  Layout input;
  Layout output;
  LayerParameters parameters;              ///< for layers with parameters
  std::shared_ptr<StoredWeights> weights;  ///< the same object as `parameters.weights`; null: no weights
  bool gradient_stops = false;             ///< no earlier layer learns, so no input gradient is needed
};

}  // namespace troupe::cpu
