#include "models/cuda/api/page_lock.hpp"

#include <atomic>
#include <string>

#include "models/cuda/api/check.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// What locks and unlocks stays on it: a thread that has not chosen one would set up device 0, which may be full or
/// another's, and so would going back to a device that was never chosen.
std::atomic<int> speaks_to = -1;

/// Bytes that could not be locked, though they may be written, until that is told.
std::atomic<std::size_t> unlocked = 0;

/// Not all machines can lock memory that this process only reads, and not all users so much of it.
bool lock(void* start, std::size_t bytes, bool writable) {
  const unsigned how = cudaHostRegisterPortable | (writable ? 0U : cudaHostRegisterReadOnly);
  if (cudaSetDevice(speaks_to) == cudaSuccess && cudaHostRegister(start, bytes, how) == cudaSuccess) return true;
  forget_error();
  if (writable) unlocked += bytes;
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

void tell_unlocked() {
  if (unlocked == 0) return;
  const std::size_t bytes = unlocked.exchange(0);
  if (bytes == 0) return;
  log_line(LogLevel::warning,
           "CUDA could not lock " + std::to_string(bytes >> 10) +
               " KB of memory that devices copy from or to: the processor copies, which takes longer");
}

}  // namespace troupe::cuda
