#include "models/maths_threads.hpp"

// Of OpenMP's runtime, which oneDNN brings; its header comes with a compiler's option alone.
extern "C" void omp_set_num_threads(int count);

namespace troupe {

void use_maths_threads(int count) { omp_set_num_threads(count); }

}  // namespace troupe
