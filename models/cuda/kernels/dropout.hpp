#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"
#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Sets values to zero with probability `probability`, and divides the other values by (1 - probability). `output` may
/// be the same array as `input`. Value e of the batch uses uniform random number e of `random`, as on the CPU. Values
/// are counted sample by sample, in the order [channels][height][width]. The backward pass calls this function for the
/// gradients.
void dropout(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
             const RandomStream& random, float probability, const void* input, void* output);

}  // namespace troupe::cuda
