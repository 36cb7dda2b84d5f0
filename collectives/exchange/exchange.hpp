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

/// The time that one lane spent in one call of a function of `NodeExchange`, and the number of bytes that the lane
/// sent.
struct ExchangeReport {
  double reduce_seconds = 0;  ///< time for adding gradients and sums, without waiting
  double apply_seconds = 0;
  double wait_seconds = 0;      ///< time for waiting until segments arrive, and until the network accepts this lane's
                                ///< data
  std::int64_t bytes_sent = 0;  ///< number of bytes sent to other nodes
  int not_finite_from = -1;     ///< a node that sent new weights with NaN or infinity; -1 if there is no such node
};

/// One node's part in the exchange of a step: adding gradients, applying the mean, and sending the new weights to all
/// nodes. Each lane of the node calls the functions of this class on the lane's own thread. In every step, the lanes of
/// all nodes make the same calls, with the same ticket. Must not be used for plans with `driver_reduces`.
///
/// Sums from other nodes arrive in staging slabs, which this class creates. A staging slab has room for one slice per
/// sum that arrives. Let N be the number of nodes. In ring order, or if the shards of each node are one complete
/// subtree, the staging slabs of a node together have (N-1)/N of the size of a flat vector. New weights from other
/// nodes arrive directly in the node's own vector of weights.
///
/// `lane_exchange.cpp` implements what a lane sends and for what it waits, segment by segment.
///
/// A node may begin the next step when all its own lanes have returned, although other nodes may still be in this step.
/// This is safe: new weights arrive only after every node with shards has sent its sums, so no node can overwrite data
/// that another node still reads.
class NodeExchange {
 public:
  /// Creates the staging slabs, and announces all windows that other nodes may write.
  /// @param node the number of this node
  /// @param weights by buffer: this node's memory of the weights, a whole flat vector; every node has the same number
  /// of buffers
  NodeExchange(const Plan& plan, int node, Transport& transport, StoreClient& store, const SlabLayout& layout,
               std::vector<std::span<float>> weights);
  ~NodeExchange();

  /// The arguments of one lane in one step.
  struct Work {
    int lane = 0;                          ///< the number of the lane in the run
    const Gradients* gradients = nullptr;  ///< the gradients by shard; the spans of shards on other nodes are empty
    std::int64_t samples = 1;              ///< the number of samples by which the sum of gradients is divided; used by
                                           ///< `run` and `reduce`
    int buffer = 0;                        ///< index of the buffer to which the new weights are written; used by `run`
                                           ///< and `share`
    std::uint64_t ticket = 0;              ///< identifies the step; greater than all earlier tickets of this generation
    Deadline deadline{std::chrono::milliseconds(0)};
  };
  /// Sends all sums of this lane that do not depend on data of other nodes. Does nothing if the node has more than one
  /// lane. May be called before `run` or `reduce` with the same ticket, as soon as the node's gradients are complete.
  /// So the sums are sent while other nodes still compute their gradients. If an error occurs, stores the error, which
  /// `run` or `reduce` then throws.
  void start(const Work& work);
  /// Executes one lane's part of the step. Sends this lane's sums to the owners of other slices, reduces and applies
  /// the lane's own slice, and sends the new weights of this slice. Then waits for the new weights that the plan
  /// assigns to this lane. When all lanes of a node have returned from `run`, the buffer `work.buffer` of the node's
  /// weights is complete.
  /// @param apply called with the mean gradient of some floats of the lane's slice; must write the new weights of these
  /// floats into the buffer `work.buffer`
  /// @throws Error timeout or worker_lost from the transport; after such an error, the generation must end
  ExchangeReport run(const Work& work, const ApplyChunk& apply);
  /// Executes the first half of `run`: sends this lane's sums, and reduces the lane's own slice. For algorithms that
  /// need the whole mean gradient before they apply any part of it. All lanes of all nodes must have returned from
  /// `reduce` before any lane calls `share`. `reduce` and `share` use the same ticket.
  /// @param keep called with the mean gradient of some floats of the lane's slice; must store it for the call of
  /// `share`
  ExchangeReport reduce(const Work& work, const ApplyChunk& keep);
  /// Executes the second half of `run`: applies the mean gradient of the lane's own slice, sends the new weights of
  /// this slice, and waits for the new weights that the plan assigns to this lane.
  /// @param mean a whole flat vector that contains the mean gradient stored by `keep`; only the lane's slice is read
  /// @param apply as for `run`
  ExchangeReport share(const Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// Returns a node that sent sums of gradients with NaN or infinity to this node in the last step; -1 if there is no
  /// such node. In ring order, the returned node may have received NaN or infinity from another node. Must not be
  /// called while a lane is in a call.
  /// @param owners the lanes whose slices are searched
  int non_finite_sums_from(const Range& owners) const;
  /// Returns true if lane `lane` has no operations in the plan, so that `run` need not be called for it.
  bool idle(int lane) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
