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

/// The time that one lane spent in one call of `NodeExchange`, and the bytes that it sent.
struct ExchangeReport {
  double reduce_seconds = 0;  ///< like apply_seconds, without waiting
  double apply_seconds = 0;
  double wait_seconds = 0;      ///< for segments of other nodes, and for the network to accept this lane's data
  std::int64_t bytes_sent = 0;  ///< to other nodes
  int not_finite_from = -1;     ///< a node that sent non-finite new weights; -1 if there is none
};

/// One node's part in reducing gradients, applying the mean and sharing the new weights among nodes. Each lane of the
/// node calls it on its own thread, with the same ticket, at the same time as the lanes of all other nodes.
///
/// Data from other nodes is received into staging slabs that this class creates (partial sums) or into the node's
/// weights (new slices). An owner stages one slice for each term of the sum that other nodes send. If nodes hold
/// complete subtrees, a node therefore stages (N-1)/N of the vector. In ring order the size is the same: one slice for
/// each sum that passes through.
///
/// `lane_exchange.cpp` defines what a lane sends and waits for, segment by segment.
///
/// A node may begin the next step when all its own lanes have returned. New weights arrive only after every node with
/// shards has sent its own sums, so no node can overwrite data that another node still reads. Not for plans with
/// `driver_reduces`.
class NodeExchange {
 public:
  /// Creates the staging slabs and announces all windows, for each segment of the plan.
  /// @param weights the node's buffers: whole vectors, writable; the same number on all nodes
  NodeExchange(const Plan& plan, int node, Transport& transport, StoreClient& store, const SlabLayout& layout,
               std::vector<std::span<float>> weights);
  ~NodeExchange();

  struct Work {
    int lane = 0;                          ///< its number in the run
    const Gradients* gradients = nullptr;  ///< by shard; empty spans for shards of other nodes
    std::int64_t samples = 1;              ///< the divisor of the mean; for `run`
    int buffer = 0;                        ///< index of the weights buffer to write; for `run`
    std::uint64_t ticket = 0;              ///< greater than all earlier tickets of this generation
    Deadline deadline{std::chrono::milliseconds(0)};
  };
  /// On a node with one lane, sends everything that does not depend on data of other nodes. Does nothing on other
  /// nodes. May be called before `run` with the same ticket, as soon as the node's gradients are complete, so that they
  /// travel while other nodes compute. Errors are stored and thrown by `run`.
  void start(const Work& work);
  /// Sends this lane's contributions to the slices of other owners, reduces and applies its own slice, sends the new
  /// weights, and waits for the slices that the plan assigns to this lane. When all lanes of a node have returned, the
  /// node's `buffer` is complete.
  /// @param apply receives the mean of some floats and writes the new weights of these floats into the node's buffer
  /// @throws Error timeout or worker_lost from the transport; the membership must end then
  ExchangeReport run(const Work& work, const ApplyChunk& apply);
  /// `run` in two parts, for algorithms that need the whole mean before they apply it. All lanes of all nodes must have
  /// returned from `reduce` before any lane calls `share`. Both calls use the same ticket.
  /// @param keep receives the mean of the lane's slice
  ExchangeReport reduce(const Work& work, const ApplyChunk& keep);
  /// @param mean the mean that `keep` stored: a whole flat vector, of which this call reads the lane's slice
  ExchangeReport share(const Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// Returns the first node that sent non-finite sums of gradients for the last ticket and the slices of these lanes;
  /// -1 if there is none. Must not be called while a lane runs.
  int non_finite_sums_from(const Range& owners) const;
  /// Returns true if the plan has nothing for this lane to do, so that `run` need not be called.
  bool idle(int lane) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
