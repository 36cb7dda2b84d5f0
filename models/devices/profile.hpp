#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/network_plan.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The kind of a layer and its arithmetic operations for one sample.
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

  /// Adds the time of a forward pass.
  /// @param layer number of the layer; the first layer if several layers ran as one operation
  /// @param batch number of samples
  void add_forward(std::size_t layer, std::int64_t batch, double seconds);
  /// Adds the time of a backward pass; see `add_forward`.
  void add_backward(std::size_t layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  std::vector<ProfiledLayer> layers_;
  std::vector<std::size_t> kinds_;  ///< index in `times_` of each layer
  std::vector<LayerTime> times_;
};

}  // namespace troupe
