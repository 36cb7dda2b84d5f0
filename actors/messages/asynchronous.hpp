#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"

// The messages of asynchronous algorithms, in which workers do not wait for each other: between the driver and workers
// or parameter servers.
namespace troupe {

struct Advanced {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;  ///< by shard: the bits of the sum of the losses over all gradients that were
                                         ///< computed for this request
  std::vector<std::int64_t> samples;
  bool finite = true;  ///< whether the gradients for the next push are finite
  PassReport pass;
};
template <class F>
auto fields(Advanced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), x.finite, x.pass);
}

/// A request to a worker: compute gradients of each of its shards, one after the other (their number is in the field
/// `gradients`). Start from the weights that servers have sent, or continue with the replica's own weights (see
/// `served`). Add these gradients to the gradients for the next push.
struct Advance {
  using Reply = Advanced;
  std::uint64_t round = 0;
  std::int64_t step = 0;       ///< the number of gradients that were computed so far, per shard
  std::int32_t gradients = 1;  ///< the number of gradients to compute per shard, one after the other
  /// Whether to start from the weights that servers have sent. If false, continue with the replica's own weights.
  bool served = true;
  /// Whether the next request will continue with the replica's own weights. If true, the last gradients of this request
  /// must update the own weights, too.
  bool goes_on = false;
  bool first = true;            ///< there are no gradients for the next push yet, so overwrite their memory
  std::uint64_t rate_bits = 0;  ///< the learning rate with which the gradient of one shard updates the own weights
  std::int64_t timeout_ms = 0;  ///< the time for which the driver waits, in milliseconds
};
template <class F>
auto fields(Advance& x, F visit) {
  return visit(x.round, x.step, x.gradients, x.served, x.goes_on, x.first, x.rate_bits, x.timeout_ms);
}

struct Pushed {
  std::uint64_t round = 0;
  Failure failure;
  /// Whether the new values of the slice are finite. If not, the slice keeps its old values.
  bool finite = true;
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_pushed = 0;
  std::int64_t bytes_fetched = 0;
};
template <class F>
auto fields(Pushed& x, F visit) {
  return visit(x.round, x.failure, x.finite, x.seconds_bits, x.bytes_pushed, x.bytes_fetched);
}

/// A request to a parameter server that concerns the worker with the rank `rank`. If `applies` is true, apply the
/// gradients that this worker has pushed to the server's slice. Then, if `serves` is true, send the slice to this
/// worker. A server handles requests in the order of arrival.
struct Push {
  using Reply = Pushed;
  std::uint64_t round = 0;
  std::int32_t rank = 0;  ///< the worker's rank
  bool applies = true;
  bool serves = true;
  std::int32_t from = 0;         ///< the buffer that contains the slice
  std::int32_t to = 0;           ///< the buffer into which the new slice is written, if `applies`
  std::int64_t step = 0;         ///< the number of steps committed so far
  std::int64_t updates = 0;      ///< the number of updates that the optimizer's present state contains
  std::int64_t samples = 0;      ///< the number of samples from which the gradients were computed
  std::uint64_t rate_bits = 0;   ///< the learning rate
  std::uint64_t share_bits = 0;  ///< the number of gradients in the push, divided by the number of shards of the run
  std::int64_t timeout_ms = 0;   ///< the time for which the driver waits, in milliseconds
};
template <class F>
auto fields(Push& x, F visit) {
  return visit(x.round, x.rank, x.applies, x.serves, x.from, x.to, x.step, x.updates, x.samples, x.rate_bits,
               x.share_bits, x.timeout_ms);
}

/// A request to a worker: send its gradients to the parameter servers (`pushes`), receive the weights that the servers
/// send (`fetches`), or both in this order. Sent in the same round as `Push` to the servers, if these run on nodes.
struct Deliver {
  using Reply = Pushed;
  std::uint64_t round = 0;
  bool pushes = true;
  bool fetches = true;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Deliver& x, F visit) {
  return visit(x.round, x.pushes, x.fetches, x.timeout_ms);
}

/// A request to all nodes: send the slice of the weights that belongs to the node's parameter server to the other
/// nodes, and wait for the slices of the other nodes.
struct ShareWeights {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(ShareWeights& x, F visit) {
  return visit(x.round, x.buffer, x.timeout_ms);
}

}  // namespace troupe
