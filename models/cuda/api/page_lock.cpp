#include "models/cuda/api/page_lock.hpp"

#include <atomic>
#include <mutex>
#include <string>

#include "models/cuda/api/check.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe::cuda {

namespace {

/// What locks and unlocks stays on it: a thread that has not chosen one would set up device 0, which may be full or
/// another's, and so would going back to a device that was never chosen.
std::atomic<int> speaks_to = -1;

/// Once: what cannot be locked once will hardly be locked later.
void warn(std::size_t bytes) {
  static std::once_flag told;
  std::call_once(told, [bytes] {
    log_line(LogLevel::warning,
             "CUDA could not lock pages of " + std::to_string(bytes >> 10) +
                 " KB that a device copies from or to: the processor copies them, which takes longer");
  });
}

/// Not all machines can lock memory that this process only reads, and not all users so much of it.
bool lock(void* start, std::size_t bytes, bool writable) {
  const unsigned how = cudaHostRegisterPortable | (writable ? 0U : cudaHostRegisterReadOnly);
  if (cudaSetDevice(speaks_to) == cudaSuccess && cudaHostRegister(start, bytes, how) == cudaSuccess) return true;
  forget_error();
  if (writable) warn(bytes);
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
