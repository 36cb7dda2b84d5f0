#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layer.hpp"

// Convert between raw samples, [samples][channels][height][width] of floats, and activations,
// [samples][height][width][channels] of elements.
namespace troupe::cuda {

void from_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, const float* plain,
                Element element, void* activations);
void to_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
              const void* activations, float* plain);

}  // namespace troupe::cuda
