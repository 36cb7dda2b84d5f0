#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"

// Messages between the driver and workers or parameter servers, for asynchronous algorithms, in which workers do not
// wait for each other.
namespace troupe {

struct Advanced {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;  ///< by shard, the sum over all gradients of this request
  std::vector<std::int64_t> samples;
  bool finite = true;  ///< whether the gradients to push are finite
  PassReport pass;
};
template <class F>
auto fields(Advanced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), x.finite, x.pass);
}

/// A request to a worker: compute `gradients` gradients of each shard, from served weights or from the replica's own
/// weights. Add them to the gradients of the next push.
struct Advance {
  using Reply = Advanced;
  std::uint64_t round = 0;
  std::int64_t step = 0;       ///< the number of gradients computed so far, per shard
  std::int32_t gradients = 1;  ///< the number of gradients to compute per shard, one after the other
  bool served = true;          ///< start from the served weights; else continue with the replica's own weights
  /// The next request continues with the replica's own weights, so the last gradients of this request must move them,
  /// too.
  bool goes_on = false;
  bool first = true;            ///< there are no gradients to push yet: overwrite instead of adding
  std::uint64_t rate_bits = 0;  ///< the learning rate with which the gradient of one shard moves the own weights
  std::int64_t timeout_ms = 0;  ///< how long the driver waits
};
template <class F>
auto fields(Advance& x, F visit) {
  return visit(x.round, x.step, x.gradients, x.served, x.goes_on, x.first, x.rate_bits, x.timeout_ms);
}

struct Pushed {
  std::uint64_t round = 0;
  Failure failure;
  bool finite = true;  ///< whether the new values are finite; if not, the slice is unchanged
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_pushed = 0;
  std::int64_t bytes_fetched = 0;
};
template <class F>
auto fields(Pushed& x, F visit) {
  return visit(x.round, x.failure, x.finite, x.seconds_bits, x.bytes_pushed, x.bytes_fetched);
}

/// A request to a parameter server: apply the gradients that a worker has pushed to the server's slice, send the slice
/// to the worker, or do both in this order. A server handles its requests in order.
struct Push {
  using Reply = Pushed;
  std::uint64_t round = 0;
  std::int32_t rank = 0;  ///< the worker's rank
  bool applies = true;
  bool serves = true;
  std::int32_t from = 0;         ///< the buffer that contains the slice
  std::int32_t to = 0;           ///< the buffer for the new slice, if a push is applied
  std::int64_t step = 0;         ///< the number of steps committed so far
  std::int64_t updates = 0;      ///< the number of updates behind the optimizer's present state
  std::int64_t samples = 0;      ///< the number of samples from which the gradients were computed
  std::uint64_t rate_bits = 0;   ///< the learning rate
  std::uint64_t share_bits = 0;  ///< the pushed fraction of a step's gradients
  std::int64_t timeout_ms = 0;   ///< how long the driver waits
};
template <class F>
auto fields(Push& x, F visit) {
  return visit(x.round, x.rank, x.applies, x.serves, x.from, x.to, x.step, x.updates, x.samples, x.rate_bits,
               x.share_bits, x.timeout_ms);
}

/// A request to a worker, in the same round as `Push`, if parameter servers run on nodes: send its gradients to the
/// servers, receive the weights that they send, or do both in this order.
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

/// A request to all nodes: send the parameter server's slice of the weights to the other nodes, and wait for their
/// slices.
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
