#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/elementwise.hpp"
#include "models/cpu/onednn.hpp"
#include "models/cpu/weights_layout.hpp"
#include "models/devices/operation.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// A layer of a planned network with the memory layouts of its values and tensors, which are the same for all batch
/// sizes.
struct PlacedLayer {
  PlannedLayer planned;
  std::shared_ptr<const LayerKernels> kernels;
  Layout input;
  Layout output;
  LayerParameters parameters;              ///< position and layout of the layer's tensors, if it has any
  std::shared_ptr<StoredWeights> weights;  ///< the same object as `parameters.weights`; null: no weights
  bool gradient_stops = false;             ///< true if no earlier layer learns, so no input gradient is needed
};

}  // namespace troupe::cpu
