#pragma once

#include <vector>

#include "actors/algorithms/algorithm.hpp"

namespace troupe {

/// Asks workers that wrote what is not finite into a buffer for the first tensor of which it is.
/// @return Error non_finite_weights naming it, its worker and node; it says so where that cannot be told
Error non_finite_error(const StepContext& context, const std::vector<int>& workers, int buffer, const Phase& phase);

}  // namespace troupe
