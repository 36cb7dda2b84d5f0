#pragma once

namespace troupe {

/// OpenMP in the calling thread uses so many threads from now on, as do libraries that stand on it.
void use_maths_threads(int count);

}  // namespace troupe
