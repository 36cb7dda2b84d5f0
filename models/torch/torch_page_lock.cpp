#include "models/torch/torch_page_lock.hpp"

#include <cstddef>
#include <mutex>
#include <type_traits>

#include "runtime/processes/page_lock.hpp"

// Troupe is compiled without CUDA's headers here. These are names, types and values of CUDA's interface in C.
namespace troupe {
namespace {

constexpr int kSuccess = 0;           // cudaSuccess
constexpr unsigned kPortable = 0x01;  // cudaHostRegisterPortable
constexpr unsigned kReadOnly = 0x08;  // cudaHostRegisterReadOnly

struct CudaRuntime {
  int (*set_device)(int device) = nullptr;
  int (*lock)(void* start, std::size_t bytes, unsigned how) = nullptr;
  int (*unlock)(void* start) = nullptr;
  int device = 0;
};

CudaRuntime runtime;  // set once, before the locking thread starts

/// Returns false if the device cannot lock this memory: some machines cannot lock read-only memory.
bool lock(void* start, std::size_t bytes, bool writable) {
  return runtime.set_device(runtime.device) == kSuccess &&
         runtime.lock(start, bytes, kPortable | (writable ? 0U : kReadOnly)) == kSuccess;
}

bool unlock(void* start) { return runtime.set_device(runtime.device) == kSuccess && runtime.unlock(start) == kSuccess; }

}  // namespace

void lock_slabs(int device, const std::function<void*(const char* name)>& function_of) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(function_of(name));
      return function != nullptr;
    };
    runtime.device = device;
    if (take(runtime.set_device, "cudaSetDevice") && take(runtime.lock, "cudaHostRegister") &&
        take(runtime.unlock, "cudaHostUnregister"))
      lock_mappings({.lock = lock, .unlock = unlock});
  });
}

}  // namespace troupe
