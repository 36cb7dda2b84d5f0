#pragma once

namespace troupe::cuda {

/// From now on devices copy from and to this process's slabs by themselves (runtime/processes/page_lock.hpp).
/// @param device that threads which have none speak to; the first call counts
void lock_slabs(int device);

}  // namespace troupe::cuda
