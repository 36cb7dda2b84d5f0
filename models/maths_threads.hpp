#pragma once

namespace troupe {

/// Sets the number of OpenMP threads for the calling thread, including for libraries that use OpenMP.
void use_maths_threads(int count);

}  // namespace troupe
