#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layer.hpp"

// Conversions between raw samples (floats in the order [samples][channels][height][width]) and activations (elements in
// the order [samples][height][width][channels]).
namespace troupe::cuda {

void from_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, const float* plain,
                Element element, void* activations);
void to_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
              const void* activations, float* plain);

}  // namespace troupe::cuda
