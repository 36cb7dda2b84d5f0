#include "models/cuda/api/page_lock.hpp"

#include <atomic>

#include "models/cuda/api/check.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// The number of the device that a thread selects before it locks or unlocks memory; -1 until `lock_slabs` was called.
/// If no device was selected, CUDA would initialize device 0, which may be full or used by another process. For the
/// same reason, the thread does not select its previous device again afterwards.
std::atomic<int> speaks_to = -1;

/// Locks memory in RAM, so that devices can copy from and to it. Returns false if this fails: some machines cannot lock
/// read-only memory, and some users may lock only a limited amount.
bool lock(void* start, std::size_t bytes, bool writable) {
  const unsigned how = cudaHostRegisterPortable | (writable ? 0U : cudaHostRegisterReadOnly);
  if (cudaSetDevice(speaks_to) == cudaSuccess && cudaHostRegister(start, bytes, how) == cudaSuccess) return true;
  forget_error();
  return false;
}

bool unlock(void* start) {
  const bool free = cudaSetDevice(speaks_to) == cudaSuccess && cudaHostUnregister(start) == cudaSuccess;
  if (!free) forget_error();
  return free;
}

}  // namespace

void lock_slabs(int device) {
  int none = -1;
  speaks_to.compare_exchange_strong(none, device);
  lock_mappings({.lock = lock, .unlock = unlock});
}

}  // namespace troupe::cuda
