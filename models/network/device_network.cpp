#include "models/network/device_network.hpp"

#include <algorithm>

namespace troupe {

void DeviceNetwork::copy_canonical(std::span<const float> canonical, std::span<float> weights) const {
  const auto copy = [&canonical](std::span<float> tensor) {
    std::ranges::copy(canonical.first(tensor.size()), tensor.begin());
    canonical = canonical.subspan(tensor.size());
  };
  from_canonical(copy, weights);
}

}  // namespace troupe
