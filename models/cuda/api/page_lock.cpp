#include "models/cuda/api/page_lock.hpp"

#include "models/cuda/api/check.hpp"
#include "models/devices/host_memory_lock.hpp"

namespace troupe::cuda {

static_assert(CudaHostFunctions::kPortable == cudaHostRegisterPortable);
static_assert(CudaHostFunctions::kReadOnly == cudaHostRegisterReadOnly);

void lock_slabs(int device) {
  troupe::lock_slabs({.set_device = [](int number) { return static_cast<int>(cudaSetDevice(number)); },
                      .lock = [](void* start, std::size_t bytes,
                                 unsigned how) { return static_cast<int>(cudaHostRegister(start, bytes, how)); },
                      .unlock = [](void* start) { return static_cast<int>(cudaHostUnregister(start)); },
                      .take_error = [] { return static_cast<int>(cudaGetLastError()); }},
                     device);
}

}  // namespace troupe::cuda
