#include "models/maths_threads.hpp"

// This function is part of the OpenMP runtime with which oneDNN is linked. It is declared here, because compilers find
// the header of OpenMP only if an option enables OpenMP.
extern "C" void omp_set_num_threads(int count);

namespace troupe {

void use_maths_threads(int count) { omp_set_num_threads(count); }

}  // namespace troupe
