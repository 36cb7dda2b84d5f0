#pragma once

#include "cuda/double/double.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// Returns whether a run has released all CUDA resources. Its last actor releases slabs a moment after the end of the
/// run.
inline bool nothing_is_left() {
  using troupe::cuda_double::Usage;
  return comes_true([] { return troupe::cuda_double::usage() == Usage{}; });
}

}  // namespace troupe_test
