#include "troupe/layers/average_pool.hpp"

namespace troupe::models {

Layer avg_pool2d(const PoolingOptions& options) { return std::make_shared<AveragePool>(options.window()); }

}  // namespace troupe::models
