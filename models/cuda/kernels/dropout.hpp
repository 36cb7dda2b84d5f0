#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"
#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Sets values to zero with the given probability, and divides the others by 1 - probability. May work in place. Value
/// e of the batch, counted sample by sample and row-major ([channels][height][width]), uses uniform number e of the
/// stream, as on the CPU. Forward and backward are the same.
void dropout(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
             const RandomStream& random, float probability, const void* input, void* output);

}  // namespace troupe::cuda
