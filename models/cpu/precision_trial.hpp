#pragma once

#include <cstdint>

#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// Measures the processor time of a network's convolutions in f32 and in bf16, forward and backward. Measures the
/// shapes with the most operations and multiplies each by its number of layers. Returns zeros for a network without
/// convolutions. Takes a fifth of a second, or longer if two runs of a shape do. Measures once per process, so that all
/// replicas get the same result.
/// @param batch the number of samples; fewer are measured if that is enough
PrecisionSeconds compare_precisions(const NetworkPlan& plan, std::int64_t batch);

}  // namespace troupe::cpu
