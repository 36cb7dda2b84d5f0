#include "models/network/accelerators.hpp"

#include "troupe/error.hpp"

namespace troupe {

Accelerators accelerators() {
  if (cuda_accelerators == nullptr)
    throw Error(ErrorCode::unsupported,
                "this program supports CPUs only; for CUDA devices, build Troupe with -DTROUPE_CUDA=ON and link "
                "troupe::cuda");
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
