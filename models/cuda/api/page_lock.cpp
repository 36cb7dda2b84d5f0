#include "models/cuda/api/page_lock.hpp"

#include <atomic>
#include <string>

#include "models/cuda/api/check.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// The number of the device that a thread selects before it locks or unlocks memory; -1 until `lock_slabs` was called.
/// If no device was selected, CUDA would initialize device 0, which may be full or used by another process. For the
/// same reason, the thread does not select its previous device again afterwards.
std::atomic<int> speaks_to = -1;

/// The number of writable bytes that could not be locked and are not in the log yet.
std::atomic<std::size_t> unlocked = 0;

/// Locks memory in RAM, so that devices can copy from and to it. Returns false if this fails: some machines cannot lock
/// read-only memory, and some users may lock only a limited amount. The bytes of writable memory that could not be
/// locked are added to `unlocked`.
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
               " KB of memory for copies from and to devices: the processor copies instead, which takes longer");
}

}  // namespace troupe::cuda
