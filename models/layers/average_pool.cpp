#include "troupe/layers/average_pool.hpp"

namespace troupe::models {

Layer average_pool(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return std::make_shared<AveragePool>(
      Window{.kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding});
}

}  // namespace troupe::models
