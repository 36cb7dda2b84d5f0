#pragma once

#include <cstdint>

#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// Processor time that the convolutions of a network take here in f32 and in bf16, going forward and backward: of those
/// shapes that do the most, each counted as often as there are layers of it. Zeros for a network without any. Takes a
/// fifth of a second, or longer where two runs of a shape do. Measured once in a process: its replicas see the same.
/// @param batch samples; fewer are taken where fewer say as much.
PrecisionSeconds compare_precisions(const NetworkPlan& plan, std::int64_t batch);

}  // namespace troupe::cpu
