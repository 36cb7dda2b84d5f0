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

/// What one lane spent and sent in one `NodeExchange::run`.
struct ExchangeReport {
  double reduce_seconds = 0;  ///< without waiting, as the next
  double apply_seconds = 0;
  double wait_seconds = 0;      ///< for segments of other nodes, and for the network to take ours
  std::int64_t bytes_sent = 0;  ///< to other nodes
  int not_finite_from = -1;     ///< a node that has sent new weights which are not finite; -1: none has
};

/// One node's part in reducing gradients, applying the mean and sharing the new weights among nodes. All lanes of the
/// node run it, each on its own thread, with the same ticket; together with the lanes of all other nodes.
///
/// What other nodes send lands in staging slabs made here (partial sums) or in the node's weights (new slices). An
/// owner stages one slice for each term of the sum that other nodes send, so where nodes hold complete subtrees a node
/// stages (N-1)/N of the vector; in ring order one slice for each sum that passes through, as much.
///
/// What a lane sends and waits for, segment by segment, is in `lane_exchange.cpp`.
///
/// A node may begin the next step when all its own lanes have returned: new weights come only after every node with
/// shards has sent its own sums, so nobody is a step ahead of what another still reads. Not for plans whose
/// driver reduces.
class NodeExchange {
 public:
  /// Makes the staging slabs and announces all windows, for each segment of the plan.
  /// @param weights the node's buffers, whole, writable; as many on all nodes.
  NodeExchange(const Plan& plan, int node, Transport& transport, StoreClient& store, const SlabLayout& layout,
               std::vector<std::span<float>> weights);
  ~NodeExchange();

  struct Work {
    int lane = 0;                          ///< of the run
    const Gradients* gradients = nullptr;  ///< by shard; empty spans for shards of other nodes
    std::int64_t samples = 1;              ///< the divisor of the mean; for `run`
    int buffer = 0;                        ///< the weights buffer to be written; for `run`
    std::uint64_t ticket = 0;              ///< greater than any before in this generation
    Deadline deadline{std::chrono::milliseconds(0)};
  };
  /// Sends what needs nothing of other nodes, on a node of one lane; does nothing elsewhere. May be called before `run`
  /// with the same ticket, as soon as the node's gradients are there, so that they travel while others compute. What
  /// goes wrong is thrown by `run`.
  void start(const Work& work);
  /// Contributes what this lane is to contribute to others' slices, reduces and applies its own slice, sends it on, and
  /// waits for the slices that it is to wait for. When all lanes of a node have returned, the node's `buffer` is whole.
  /// @param apply writes the floats it is given the mean of into the node's buffer.
  /// @throws Error timeout or worker_lost from the transport; then the membership must end.
  ExchangeReport run(const Work& work, const ApplyChunk& apply);
  /// `run` in two parts, for what has to be known of the whole mean before any of it is applied. All lanes of all nodes
  /// have returned from `reduce` before any begins to `share`, with the same ticket.
  /// @param keep is given the mean of the lane's slice
  ExchangeReport reduce(const Work& work, const ApplyChunk& keep);
  /// @param mean as it was kept, a whole flat vector of which the lane's slice is read
  ExchangeReport share(const Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// The first node that has sent sums of gradients, for the last ticket and the slices of these lanes, which are not
  /// finite; -1: none has. While no lane runs.
  int non_finite_sums_from(const Range& owners) const;
  /// True when the plan has nothing for this lane to do, so that `run` need not be called.
  bool idle(int lane) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
