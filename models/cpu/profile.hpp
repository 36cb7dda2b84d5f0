#pragma once

#include <cstdint>
#include <vector>

#include "models/cpu/placed_network.hpp"

namespace troupe::cpu {

/// Adds up time and arithmetic by kind of layer. Layers that run in one go with the ones behind them are
/// a kind of their own.
class Profile {
 public:
  explicit Profile(const PlacedNetwork& network);

  /// @param layer the first of those that ran in one go
  void add_forward(std::size_t layer, std::int64_t batch, double seconds);
  void add_backward(std::size_t layer, std::int64_t batch, double seconds);

  const std::vector<LayerTime>& times() const { return times_; }

 private:
  const PlacedNetwork& network_;
  std::vector<std::size_t> kinds_;  ///< by layer, its place in `times_`
  std::vector<LayerTime> times_;
};

}  // namespace troupe::cpu
