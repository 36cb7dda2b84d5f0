#pragma once

namespace troupe::cuda {

/// Locks all slabs of this process in RAM; see models/devices/host_memory_lock.hpp.
void lock_slabs(int device);

}  // namespace troupe::cuda
