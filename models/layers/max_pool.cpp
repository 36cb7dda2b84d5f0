#include "troupe/layers/max_pool.hpp"

namespace troupe::models {

Layer max_pool2d(const PoolingOptions& options) { return std::make_shared<MaxPool>(options.window()); }

}  // namespace troupe::models
