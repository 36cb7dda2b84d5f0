#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"
#include "runtime/clock.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// The seconds that one lane spent in one call of `NodeExchange`, and the number of bytes that it sent.
struct ExchangeReport {
  double reduce_seconds = 0;  ///< adding gradients and sums, without waiting
  double apply_seconds = 0;
  double wait_seconds = 0;      ///< waiting for segments, and for the network to accept this lane's data
  std::int64_t bytes_sent = 0;  ///< to other nodes
  int not_finite_from = -1;     ///< a node that sent new weights with NaN or infinity; -1 if there is none
};

/// One node's part in the exchange among nodes: adding gradients, applying the mean, and sending the new weights to all
/// nodes. Each lane of the node calls it on the lane's own thread. In every step, the lanes of all nodes make the same
/// calls at the same time, with the same ticket. Must not be used for plans with `driver_reduces`.
///
/// Sums from other nodes arrive in staging slabs, which this class creates. New weights from other nodes arrive in
/// place, in the node's own vector of weights. A staging slab has room for one slice per sum that arrives. Let N be the
/// number of nodes. In ring order, or if each node has one complete subtree of shards, a node stages (N-1)/N of a flat
/// vector in total.
///
/// `lane_exchange.cpp` defines, segment by segment, what a lane sends and for what it waits.
///
/// A node may begin the next step when all its own lanes have returned. New weights arrive only after every node with
/// shards has sent its own sums, so no node can overwrite data that another node still reads.
class NodeExchange {
 public:
  /// Creates the staging slabs, and announces to other nodes all windows that they may write.
  /// @param node the number of this node
  /// @param weights this node's buffers of the weights: whole flat vectors, writable; as many as on every other node
  NodeExchange(const Plan& plan, int node, Transport& transport, StoreClient& store, const SlabLayout& layout,
               std::vector<std::span<float>> weights);
  ~NodeExchange();

  /// The arguments of one lane in one step.
  struct Work {
    int lane = 0;                          ///< the number of the lane in the run
    const Gradients* gradients = nullptr;  ///< by shard; the spans of shards on other nodes are empty
    std::int64_t samples = 1;              ///< the number by which the sum is divided; used by `run` and `reduce`
    int buffer = 0;                        ///< index of the buffer of the weights to write; used by `run` and `share`
    std::uint64_t ticket = 0;              ///< identifies the step; greater than all earlier tickets of this generation
    Deadline deadline{std::chrono::milliseconds(0)};
  };
  /// Sends all sums of this lane that do not depend on data of other nodes. Does nothing if the node has more than one
  /// lane. May be called before `run` or `reduce` with the same ticket, as soon as the node's gradients are complete.
  /// The sums then travel while other nodes still compute. An error is stored, and thrown by `run` or `reduce`.
  void start(const Work& work);
  /// Executes this lane's part of the step. Sends this lane's sums to the owners of other slices, reduces and applies
  /// its own slice, and sends the new weights. Then waits for the new weights that the plan assigns to this lane. When
  /// all lanes of a node have returned, the buffer `work.buffer` of the node's weights is complete.
  /// @param apply called with the mean of some floats of the lane's slice; must write the new weights of these floats
  /// into the node's buffer
  /// @throws Error timeout or worker_lost from the transport; the generation must end then
  ExchangeReport run(const Work& work, const ApplyChunk& apply);
  /// The first half of `run`, for algorithms that need the whole mean before they apply any of it: sends sums and
  /// reduces the lane's own slice. All lanes of all nodes must have returned from `reduce` before any lane calls
  /// `share`. Both calls use the same ticket.
  /// @param keep called with the mean of some floats of the lane's slice; must store the mean for `share`
  ExchangeReport reduce(const Work& work, const ApplyChunk& keep);
  /// The second half of `run`: applies the mean of the lane's own slice, sends the new weights, and waits for the new
  /// weights that the plan assigns to this lane.
  /// @param mean a whole flat vector with the mean that `keep` stored; this call reads only the lane's slice
  /// @param apply as for `run`
  ExchangeReport share(const Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// Returns a node that sent sums of gradients with NaN or infinity to this node in the last step; -1 if there is
  /// none. In ring order, a node that only passed on such a sum may be returned. Must not be called while a lane runs.
  /// @param owners the lanes whose slices are searched
  int non_finite_sums_from(const Range& owners) const;
  /// Returns true if the lane has no operations in the plan. Then `run` need not be called.
  bool idle(int lane) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
