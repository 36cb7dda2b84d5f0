#include "troupe/layers/global_average_pool.hpp"

#include "models/layers/checks.hpp"

namespace troupe::models {

SampleShape GlobalAveragePool::output(std::span<const SampleShape> inputs) const {
  check_images(inputs[0]);
  return {.channels = inputs[0].channels, .flat = true};
}

Layer global_average_pool() { return std::make_shared<GlobalAveragePool>(); }

}  // namespace troupe::models
