#pragma once

namespace troupe::cuda {

/// Locks all slabs of this process, including later ones, so that devices copy from and to them directly
/// (runtime/processes/page_lock.hpp).
/// @param device the device for threads that have not selected one; only the first call counts
void lock_slabs(int device);

/// Logs how many bytes could not be locked since the last call, if there are any. The caller must not hold a mutex,
/// because the log may run user code.
void tell_unlocked();

}  // namespace troupe::cuda
