#include "models/torch/torch_page_lock.hpp"

#include <type_traits>

#include "models/devices/host_memory_lock.hpp"

namespace troupe {

void lock_slabs(int device, const std::function<void*(const char* name)>& function_of) {
  CudaHostFunctions cuda;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(function_of(name));
    return function != nullptr;
  };
  if (take(cuda.set_device, "cudaSetDevice") && take(cuda.lock, "cudaHostRegister") &&
      take(cuda.unlock, "cudaHostUnregister") && take(cuda.take_error, "cudaGetLastError"))
    lock_slabs(cuda, device);
}

}  // namespace troupe
