#include "models/devices/host_memory_lock.hpp"

#include <mutex>

#include "runtime/processes/page_lock.hpp"

namespace troupe {
namespace {

// Set once, before the locking thread starts.
CudaHostFunctions cuda_host;
int locking_device = 0;

/// Forgets the error of a failed call, so that a later call in this thread does not return it.
bool succeeds(int error) {
  if (error != 0) cuda_host.take_error();
  return error == 0;
}

/// Returns false if the memory cannot be locked: some machines cannot lock read-only memory, and some users may lock
/// only a limited amount.
bool lock(void* start, std::size_t bytes, bool writable) {
  const unsigned how = CudaHostFunctions::kPortable | (writable ? 0U : CudaHostFunctions::kReadOnly);
  return succeeds(cuda_host.set_device(locking_device)) && succeeds(cuda_host.lock(start, bytes, how));
}

bool unlock(void* start) { return succeeds(cuda_host.set_device(locking_device)) && succeeds(cuda_host.unlock(start)); }

}  // namespace

void lock_slabs(const CudaHostFunctions& functions, int device) {
  static std::once_flag once;
  std::call_once(once, [&] {
    cuda_host = functions;
    locking_device = device;
    lock_mappings({.lock = lock, .unlock = unlock});
  });
}

}  // namespace troupe
