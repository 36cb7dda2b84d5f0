#pragma once

#include <span>

#include "actors/driver/node_recovery.hpp"
#include "actors/driver/run.hpp"
#include "actors/driver/run_members.hpp"
#include "actors/driver/transfers.hpp"

namespace troupe {

/// Reads and writes the vectors of a run's state, in canonical order. Vector 0 contains the weights; the other vectors
/// belong to the optimizer.
class StateAccess {
 public:
  StateAccess(Run& run, RunMembers& members, const NodeRecovery& nodes) : run_(run), members_(members), nodes_(nodes) {}

  void read_weights(const ReadFloats& use);
  /// Sets the weights, and sets the other vectors to zero.
  void set_weights(std::span<const float> canonical);

  /// Pins the committed version: it stays readable until `unpin`, because later steps write other buffers. Returns the
  /// id to pass to `unpin`.
  /// @throws Error unsupported if the state would then need more than kMostBuffers buffers; worker_lost if the run has
  /// lost a node and is not formed again yet
  Versions::PinId pin();
  void unpin(Versions::PinId pin) { run_.versions.unpin(pin); }
  /// Calls `use` with a vector of a pinned version.
  /// @param phase the name of the phase for errors
  /// @throws Error worker_lost if the version no longer exists, because the run has lost a node
  void read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* phase);
  /// Returns a part of a vector of a pinned version.
  /// @param phase the name of the phase for errors
  HeldFloats fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* phase);

 private:
  VectorPart all_of(int vector) const { return {vector, 0, total_size(run_.model().tensors)}; }
  /// Returns the weights of a run in a cluster. If nodes are lost, returns the weights of a remaining node, if
  /// possible.
  HeldFloats fetch_weights_of_nodes();

  Run& run_;
  RunMembers& members_;
  const NodeRecovery& nodes_;
};

}  // namespace troupe
