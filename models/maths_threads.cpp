#include "models/maths_threads.hpp"

// A function of the OpenMP runtime with which oneDNN is linked. It is declared here, because its header is available
// only with a compiler option.
extern "C" void omp_set_num_threads(int count);

namespace troupe {

void use_maths_threads(int count) { omp_set_num_threads(count); }

}  // namespace troupe
