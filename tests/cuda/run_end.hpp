#pragma once

#include "cuda/double/double.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// Whether nothing of CUDA's stays behind a run. The last of its actors lets go of slabs a moment after its end.
inline bool nothing_is_left() {
  using troupe::cuda_double::Usage;
  return comes_true([] { return troupe::cuda_double::usage() == Usage{}; });
}

}  // namespace troupe_test
