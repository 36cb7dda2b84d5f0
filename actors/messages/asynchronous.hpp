#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"

// What algorithms on whose replicas run on their own clocks say to workers and parameter servers.
namespace troupe {

struct Advanced {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;  ///< of all that was computed for this request
  std::vector<std::int64_t> samples;
  bool finite = true;  ///< what is to be pushed
  PassReport pass;
};
template <class F>
auto fields(Advanced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), x.finite, x.pass);
}

/// To a worker: compute so many gradients of each of your shards, on the weights that you were served or on your own,
/// and add them to what is to be pushed.
struct Advance {
  using Reply = Advanced;
  std::uint64_t round = 0;
  std::int64_t step = 0;        ///< gradients that each of your shards has computed so far
  std::int32_t gradients = 1;   ///< of each shard, one after the other
  bool served = true;           ///< weights were served; else go on with your own, which your gradients have moved
  bool goes_on = false;         ///< your own weights will be gone on with: the last gradients move them, too
  bool first = true;            ///< nothing is to be pushed yet: write, do not add
  std::uint64_t rate_bits = 0;  ///< with which a gradient of one shard moves your own weights
  std::int64_t timeout_ms = 0;  ///< how long the driver waits
};
template <class F>
auto fields(Advance& x, F visit) {
  return visit(x.round, x.step, x.gradients, x.served, x.goes_on, x.first, x.rate_bits, x.timeout_ms);
}

struct Pushed {
  std::uint64_t round = 0;
  Failure failure;
  bool finite = true;  ///< what it would have become; else the slice is as it was
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_pushed = 0;
  std::int64_t bytes_fetched = 0;
};
template <class F>
auto fields(Pushed& x, F visit) {
  return visit(x.round, x.failure, x.finite, x.seconds_bits, x.bytes_pushed, x.bytes_fetched);
}

/// To a parameter server, which does what it is told one after the other: apply to your slice what a worker has pushed,
/// serve the worker the slice, or both in that order.
struct Push {
  using Reply = Pushed;
  std::uint64_t round = 0;
  std::int32_t rank = 0;  ///< of the worker
  bool applies = true;
  bool serves = true;
  std::int32_t from = 0;         ///< the buffer with the slice as it is
  std::int32_t to = 0;           ///< and that which it is to be in, where a push is applied
  std::int64_t step = 0;         ///< steps committed so far
  std::int64_t updates = 0;      ///< that made the optimizer's state so far
  std::int64_t samples = 0;      ///< of which the gradients are
  std::uint64_t rate_bits = 0;   ///< the learning rate
  std::uint64_t share_bits = 0;  ///< of a step's gradients, which these are
  std::int64_t timeout_ms = 0;   ///< how long the driver waits
};
template <class F>
auto fields(Push& x, F visit) {
  return visit(x.round, x.rank, x.applies, x.serves, x.from, x.to, x.step, x.updates, x.samples, x.rate_bits,
               x.share_bits, x.timeout_ms);
}

/// To a worker, in the same round, where servers are on nodes: deliver to them what you have to push, take what they
/// serve you, or both in that order.
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

/// To all nodes: send the others your parameter server's slice of the weights, and wait for theirs.
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
