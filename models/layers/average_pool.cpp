#include "troupe/layers/average_pool.hpp"

#include "runtime/invalid.hpp"

namespace troupe::models {

SampleShape AveragePool::output(std::span<const SampleShape> inputs) const {
  const SampleShape output = window_.slide(inputs[0], inputs[0].channels);
  if (2 * window_.padding > window_.kernel) throw_invalid("needs a padding of at most half its kernel");
  return output;
}

Layer average_pool(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return std::make_shared<AveragePool>(
      Window{.kernel = kernel, .stride = stride == 0 ? kernel : stride, .padding = padding});
}

}  // namespace troupe::models
