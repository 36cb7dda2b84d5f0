#include "models/cuda/api/page_lock.hpp"

#include <cuda_runtime_api.h>

#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// Not all machines can lock memory that this process only reads, and not all users so much of it.
bool lock(void* start, std::size_t bytes, bool writable) {
  const unsigned how = cudaHostRegisterPortable | (writable ? 0U : cudaHostRegisterReadOnly);
  if (cudaHostRegister(start, bytes, how) == cudaSuccess) return true;
  cudaGetLastError();  // it is not to come out of a later call
  return false;
}

void unlock(void* start) { cudaHostUnregister(start); }

}  // namespace

void lock_slabs() { lock_mappings({.lock = lock, .unlock = unlock}); }

}  // namespace troupe::cuda
