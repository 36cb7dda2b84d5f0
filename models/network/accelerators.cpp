#include "models/network/accelerators.hpp"

#include "models/network/device_network.hpp"

namespace troupe {

Accelerators accelerators() {
  check_device(/*use_cpus=*/false);
  return cuda_accelerators();
}

}  // namespace troupe
