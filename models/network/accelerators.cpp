#include "models/network/accelerators.hpp"

#include "models/network/device_network.hpp"
#include "troupe/error.hpp"

namespace troupe {

Accelerators accelerators() {
  check_device(/*use_cpus=*/false);
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
