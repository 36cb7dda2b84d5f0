#include "models/network/accelerators.hpp"

#include "troupe/error.hpp"

namespace troupe {

Accelerators accelerators() {
  if (cuda_accelerators == nullptr)
    throw Error(ErrorCode::unsupported,
                "this program computes on CPUs alone; with Troupe built by -DTROUPE_CUDA=ON, and linked with "
                "troupe::cuda, it knows CUDA devices");
  return cuda_accelerators();
}

int accelerator_count() {
  if (cuda_device_count == nullptr) return 0;
  try {
    return cuda_device_count();
  } catch (const Error&) {  // no driver, or no device
    return 0;
  }
}

}  // namespace troupe
