#include "models/cuda/api/memory.hpp"

#include <string>

#include "troupe/error.hpp"

namespace troupe::cuda {

void DeviceMemory::allocate(void** made, std::size_t bytes) {
  if (bytes == 0) return;
  const cudaError_t result = cudaMalloc(made, bytes);
  if (result != cudaErrorMemoryAllocation) return check(result, "allocating memory");
  forget_error();
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "querying free memory");
  const auto megabytes = [](std::size_t count) { return std::to_string(count >> 20) + " MB"; };
  throw Error(ErrorCode::limit_reached, "CUDA, allocating memory: the device cannot provide " + megabytes(bytes) +
                                            ": " + megabytes(free) + " of " + megabytes(all) +
                                            " are free; use smaller batches or fewer replicas per device");
}

}  // namespace troupe::cuda
