#pragma once

#include <cstdint>
#include <vector>

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// Adds up time and arithmetic by kind of layer.
class Profile {
 public:
  explicit Profile(const std::vector<PlacedLayer>& layers);

  void add_forward(const PlacedLayer& layer, std::int64_t batch, double seconds);
  void add_backward(const PlacedLayer& layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  LayerTime& of(const PlacedLayer& layer);

  std::vector<LayerTime> times_;
};

}  // namespace troupe::cpu
