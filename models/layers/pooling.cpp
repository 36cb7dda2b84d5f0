#include "models/layers/checks.hpp"
#include "troupe/layers/average_pool.hpp"
#include "troupe/layers/global_average_pool.hpp"
#include "troupe/layers/max_pool.hpp"

namespace troupe::models {

SampleShape GlobalAveragePool::output(std::span<const SampleShape> inputs) const {
  check_images(inputs[0]);
  return {.channels = inputs[0].channels, .flat = true};
}

Layer avg_pool2d(const PoolingOptions& options) { return std::make_shared<AveragePool>(options.window()); }
Layer global_average_pool() { return std::make_shared<GlobalAveragePool>(); }
Layer max_pool2d(const PoolingOptions& options) { return std::make_shared<MaxPool>(options.window()); }

}  // namespace troupe::models
