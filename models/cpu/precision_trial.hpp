#pragma once

#include <cstdint>

#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// Returns the processor time of a network's convolutions in f32 and in bf16, for a forward and a backward pass of one
/// sample. Measures only the convolution shapes with the most operations, and multiplies the time of each shape by the
/// number of its layers. Returns zeros for a network without convolutions. Takes 200 ms, or longer if two runs of one
/// shape take longer. The result is stored. Later calls in this process with the same shapes return the stored result,
/// so that all replicas get the same result.
/// @param batch the maximum number of samples of a run; large images are measured with fewer samples
PrecisionSeconds compare_precisions(const NetworkPlan& plan, std::int64_t batch);

}  // namespace troupe::cpu
