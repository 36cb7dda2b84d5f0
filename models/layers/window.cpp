#include "troupe/layers/window.hpp"

#include <algorithm>

#include "models/layers/checks.hpp"

namespace troupe::models {

SampleShape Window::slide(const SampleShape& input, std::int64_t channels) const {
  constexpr std::int64_t kMaxKernel = 255;
  check_images(input);
  if (kernel < 1 || stride < 1 || padding < 0)
    throw_invalid("needs a positive kernel, a positive stride, and a padding of at least 0");
  if (kernel > kMaxKernel) throw_invalid("supports kernels of at most " + std::to_string(kMaxKernel));
  if (padding >= kernel) throw_invalid("needs a padding that is smaller than its kernel");
  if (kernel > std::min(input.height, input.width) + 2 * padding)
    throw_invalid("has a kernel of " + std::to_string(kernel) + ", which is larger than its input of " + input.text());
  const auto places = [this](std::int64_t size) { return (size + 2 * padding - kernel) / stride + 1; };
  return {.channels = channels, .height = places(input.height), .width = places(input.width)};
}

SampleShape Window::pool(const SampleShape& input) const {
  const SampleShape output = slide(input, input.channels);
  if (2 * padding > kernel) throw_invalid("needs a padding of at most half its kernel");
  return output;
}

std::map<std::string, double> Window::numbers() const {
  return {{"kernel", static_cast<double>(kernel)},
          {"stride", static_cast<double>(stride)},
          {"padding", static_cast<double>(padding)}};
}

}  // namespace troupe::models
