#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/network_plan.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The kind of a layer, and the number of its arithmetic operations for one sample.
struct ProfiledLayer {
  std::string kind;  ///< empty if the layer runs as one operation with the layer before it
  double forward_flops = 0;
  double backward_flops = 0;
};

/// Returns the description, for a Profile, of a layer that runs as one operation without other layers.
/// @param gradient_stops true if the layer computes no input gradient
ProfiledLayer profiled(const PlannedLayer& layer, bool gradient_stops);

/// Adds up times and arithmetic operations for each kind of layer.
class Profile {
 public:
  explicit Profile(const std::vector<ProfiledLayer>& layers);

  /// Adds the time of a layer's forward pass for a batch.
  /// @param layer number of the layer; if several layers ran as one operation, the number of the first one
  /// @param batch number of samples of the batch
  void add_forward(std::size_t layer, std::int64_t batch, double seconds);
  /// Adds the time of a layer's backward pass for a batch. The parameters are those of `add_forward`.
  void add_backward(std::size_t layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  std::vector<ProfiledLayer> layers_;
  std::vector<std::size_t> kinds_;  ///< for each layer, the index of its kind in `times_`
  std::vector<LayerTime> times_;
};

}  // namespace troupe
