#pragma once

namespace troupe {

/// Sets the number of OpenMP threads for work that the calling thread starts, also in libraries that use OpenMP, such
/// as oneDNN.
void use_maths_threads(int count);

}  // namespace troupe
