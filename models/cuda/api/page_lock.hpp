#pragma once

namespace troupe::cuda {

/// From now on devices copy from and to this process's slabs by themselves (runtime/processes/page_lock.hpp).
void lock_slabs();

}  // namespace troupe::cuda
