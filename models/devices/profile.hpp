#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/network_plan.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A layer of a placed network, as profiles tell of it. Arithmetic is that of a sample.
struct ProfiledLayer {
  std::string kind;  ///< empty: it runs in one go with the one before
  double forward_flops = 0;
  double backward_flops = 0;
};

/// By itself. @param gradient_stops it does not pass a gradient on
ProfiledLayer profiled(const PlannedLayer& layer, bool gradient_stops);

/// Adds up time and arithmetic by kind of layer.
class Profile {
 public:
  explicit Profile(const std::vector<ProfiledLayer>& layers);

  /// @param layer the first of those that ran in one go
  void add_forward(std::size_t layer, std::int64_t batch, double seconds);
  void add_backward(std::size_t layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  std::vector<ProfiledLayer> layers_;
  std::vector<std::size_t> kinds_;  ///< by layer, its place in `times_`
  std::vector<LayerTime> times_;
};

}  // namespace troupe
