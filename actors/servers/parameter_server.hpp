#pragma once

#include <memory>
#include <vector>

#include "actors/messages/asynchronous.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "models/optimizers/update_rules.hpp"

namespace troupe {

/// Owns a slice of the state, at the side of the store that it lies in: applies what workers push to it, one push after
/// the other, each whole or not at all, and copies the slice as it then is to workers that fetch. So nobody computes on
/// memory that is being written, and a worker sees each slice at one version, though not all slices at the same.
class ParameterServer {
 public:
  /// @param exchange of the node where the state lies
  /// @param learned_size floats with a gradient; behind them lie statistics, of which workers push the changes
  ParameterServer(std::shared_ptr<const ServedState> state, std::shared_ptr<ServerExchange> exchange, int num_shards,
                  const Range& slice, std::size_t learned_size, const OptimizerSettings& optimizer);

  Pushed carry_out(const Push& push);

 private:
  /// False where something that it wrote is not finite.
  bool apply(const Push& push, const PushedSlice& pushed);
  bool update(const Push& push, const PushedSlice& pushed);
  void update_statistics(const Push& push, const PushedSlice& pushed);
  void keep(const Push& push);
  Range learned() const { return {std::min(slice_.begin, learned_size_), std::min(slice_.end, learned_size_)}; }
  Range statistics() const { return {std::max(slice_.begin, learned_size_), std::max(slice_.end, learned_size_)}; }

  std::shared_ptr<const ServedState> state_;
  std::shared_ptr<ServerExchange> exchange_;
  int num_shards_;
  Range slice_;
  std::size_t learned_size_;
  UpdateRules optimizer_;
};

}  // namespace troupe
