#pragma once

namespace troupe::cuda {

/// Locks all slabs of this process in RAM, including later slabs, so that devices copy from and to them directly
/// (runtime/processes/page_lock.hpp).
/// @param device the device for threads that have not selected one; only the value of the first call is used
void lock_slabs(int device);

}  // namespace troupe::cuda
