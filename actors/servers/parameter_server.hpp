#pragma once

#include <memory>
#include <vector>

#include "actors/messages/asynchronous.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "models/optimizers/update_rules.hpp"

namespace troupe {

/// A parameter server, which owns one slice of the state. It runs in the process whose object store contains the state.
/// The server applies the workers' pushes one after the other, each completely or not at all. If a worker fetches
/// weights, the server copies its current slice for the worker, so no worker reads memory that is being written. Within
/// a slice, the fetched weights all have the same version, but slices of different servers may have different versions.
class ParameterServer {
 public:
  /// @param exchange the object that moves gradients and weights between this server and workers
  /// @param learned_size the number of floats that have a gradient, which come first in the flat vector. The remaining
  /// floats are statistics, for which workers push changes instead of gradients.
  ParameterServer(std::shared_ptr<const ServedState> state, std::shared_ptr<ServerExchange> exchange, int num_shards,
                  const Range& slice, std::size_t learned_size, const OptimizerSettings& optimizer);

  /// Carries out a request: applies the worker's gradients to the slice (`push.applies`), sends the slice to the worker
  /// (`push.serves`), or both. If a new value is not finite, or an error is thrown, copies the old slice into the new
  /// buffer instead.
  /// @throws Error as the functions of ServerExchange do, for example timeout
  Pushed carry_out(const Push& push);

 private:
  /// Writes the new slice into buffer `push.to`: the learned floats with `update`, and the statistics with
  /// `update_statistics`. Returns false if a written value is not finite.
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
