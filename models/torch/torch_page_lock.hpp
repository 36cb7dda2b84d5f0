#pragma once

#include <functional>

namespace troupe {

/// Lets CUDA's runtime lock the memory that workers share (`lock_mappings`), so that a device copies weights and
/// gradients without the processor. Does nothing if a function of the runtime is missing.
/// @param device the device that the locking thread speaks to
/// @param function_of returns a function of the runtime by its name; null if there is none
void lock_slabs(int device, const std::function<void*(const char* name)>& function_of);

}  // namespace troupe
