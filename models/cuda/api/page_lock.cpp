#include "models/cuda/api/page_lock.hpp"

#include <atomic>

#include "models/cuda/api/check.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// A thread that has not chosen one would set up device 0, which may be full or another's.
std::atomic<int> speaks_to = -1;

/// Not all machines can lock memory that this process only reads, and not all users so much of it.
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
