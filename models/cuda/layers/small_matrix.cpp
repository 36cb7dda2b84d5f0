#include "models/cuda/layers/small_matrix.hpp"

namespace troupe::cuda {

std::size_t small_matrix() { return std::size_t{16} << 20; }

}  // namespace troupe::cuda
