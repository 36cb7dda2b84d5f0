#pragma once

namespace troupe::cuda {

/// From now on devices copy directly from and to this process's slabs (runtime/processes/page_lock.hpp).
/// @param device the device for threads that have not selected one; only the first call counts
void lock_slabs(int device);

/// Logs how many bytes could not be locked since the last call. Must not be called under a lock, because the log may
/// run user code.
void tell_unlocked();

}  // namespace troupe::cuda
