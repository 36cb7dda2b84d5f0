#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"
#include "runtime/random.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Zeroes values with that probability, and divides what stays by 1 - probability; may be in place. Value number e of
/// the batch, sample by sample and row-major ([channels][height][width]), goes by uniform number e of the stream, as on
/// the CPU. Forward and backward are the same.
void dropout(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
             const RandomStream& random, float probability, const void* input, void* output);

}  // namespace troupe::cuda
