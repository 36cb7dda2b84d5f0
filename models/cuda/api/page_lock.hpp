#pragma once

namespace troupe::cuda {

/// From now on devices copy from and to this process's slabs by themselves (runtime/processes/page_lock.hpp).
/// @param device that threads which have none speak to; the first call counts
void lock_slabs(int device);

/// Says in the log how much of it could not be locked since the last call. The log may do what it likes: not to be
/// called under a lock.
void tell_unlocked();

}  // namespace troupe::cuda
