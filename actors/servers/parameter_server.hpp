#pragma once

#include <memory>
#include <vector>

#include "actors/messages/asynchronous.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "models/optimizers/update_rules.hpp"

namespace troupe {

/// A parameter server. It owns one slice of the state, and runs in the process whose store contains the state. It
/// applies the workers' pushes one after the other, each completely or not at all. For a worker that fetches, it copies
/// the current slice. Therefore no worker reads memory that is being written. A worker sees each slice at one version,
/// but different slices may have different versions.
class ParameterServer {
 public:
  /// @param exchange moves gradients and weights between the server and workers, on the node that holds the state
  /// @param learned_size the number of floats that have a gradient; these come first. The remaining floats are
  /// statistics: for these, workers push changes instead of gradients.
  ParameterServer(std::shared_ptr<const ServedState> state, std::shared_ptr<ServerExchange> exchange, int num_shards,
                  const Range& slice, std::size_t learned_size, const OptimizerSettings& optimizer);

  /// Applies the worker's gradients to the slice, sends the slice to the worker, or both, as `push` requests. If a new
  /// value is not finite, or an error is thrown, the new buffer gets the old slice instead.
  /// @throws Error of the exchange
  Pushed carry_out(const Push& push);

 private:
  /// Writes the new slice: the learned floats with `update`, the statistics with `update_statistics`. Returns false if
  /// a written value is not finite.
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
