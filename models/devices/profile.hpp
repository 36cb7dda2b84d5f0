#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/network_plan.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A layer of a placed network in a profile. Arithmetic is counted per sample.
struct ProfiledLayer {
  std::string kind;  ///< empty: the layer runs as one operation with the layer before it
  double forward_flops = 0;
  double backward_flops = 0;
};

/// Returns the profile entry of a layer that runs alone. @param gradient_stops whether the layer computes no input
/// gradient
ProfiledLayer profiled(const PlannedLayer& layer, bool gradient_stops);

/// Sums up time and arithmetic by kind of layer.
class Profile {
 public:
  explicit Profile(const std::vector<ProfiledLayer>& layers);

  /// @param layer the first layer of those that ran as one operation
  void add_forward(std::size_t layer, std::int64_t batch, double seconds);
  void add_backward(std::size_t layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  std::vector<ProfiledLayer> layers_;
  std::vector<std::size_t> kinds_;  ///< index in `times_` of each layer
  std::vector<LayerTime> times_;
};

}  // namespace troupe
