#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/synchronous.hpp"

// Messages between the driver and workers for local SGD. Local SGD also uses the message `Apply`.
namespace troupe {

struct StepsTaken {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;  ///< by shard: the sum of the losses over all of its steps
  std::vector<std::int64_t> samples;
  std::vector<std::uint64_t>
      moved_bits;  ///< by shard: the squared distance between its copy of the weights and the old weights
  /// The first non-finite value in a shard's copy of the weights, or in its optimizer state. `non_finite_shard` is this
  /// shard.
  NonFinite non_finite;
  std::int32_t non_finite_shard = -1;
  PassReport pass;
};
template <class F>
auto fields(StepsTaken& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), at_most<Bound::shards>(x.moved_bits), x.non_finite,
               x.non_finite_shard, x.pass);
}

/// A request to a worker: for each of its shards, make `steps` steps on a copy of the weights in buffer `from`. The
/// copy is in the slab for the shard's gradient. The shard's own optimizer state is read from buffer `from`, and the
/// new optimizer state is written into buffer `to`.
struct TakeSteps {
  using Reply = StepsTaken;
  std::uint64_t round = 0;
  std::int64_t step = 0;  ///< the number of steps committed so far
  std::int32_t steps = 1;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t updates = 0;  ///< the number of updates that the optimizer's present state contains
  /// The learning rates for tensors that belong to no group of tensors: one per step, or one rate for all steps.
  std::vector<std::uint64_t> rate_bits;
  std::int64_t timeout_ms = 0;  ///< the time for which the driver waits, in milliseconds
};
template <class F>
auto fields(TakeSteps& x, F visit) {
  return visit(x.round, x.step, x.steps, x.from, x.to, x.updates, at_most<Bound::local_steps>(x.rate_bits),
               x.timeout_ms);
}

}  // namespace troupe
