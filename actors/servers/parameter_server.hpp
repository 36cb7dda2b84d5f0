#pragma once

#include <memory>
#include <vector>

#include "actors/messages/asynchronous.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "models/optimizers/update_rules.hpp"

namespace troupe {

/// A parameter server: owns one slice of the state, next to the store that holds it. Applies the workers' pushes one
/// after the other, each completely or not at all. Copies the current slice to workers that fetch. Therefore no worker
/// reads memory that is being written. A worker sees each slice at one version, but different slices may have different
/// versions.
class ParameterServer {
 public:
  /// @param exchange the exchange of the node that holds the state
  /// @param learned_size floats with a gradient; the floats behind them are statistics, whose changes workers push
  ParameterServer(std::shared_ptr<const ServedState> state, std::shared_ptr<ServerExchange> exchange, int num_shards,
                  const Range& slice, std::size_t learned_size, const OptimizerSettings& optimizer);

  Pushed carry_out(const Push& push);

 private:
  /// Returns false if a written value is not finite.
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
