#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/synchronous.hpp"

// What local SGD says to workers, beside `Apply`.
namespace troupe {

struct StepsTaken {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;  ///< of all the shard's steps
  std::vector<std::int64_t> samples;
  std::vector<std::uint64_t> moved_bits;  ///< squared distance of the shard's copy from the weights
  NonFinite non_finite;                   ///< of the first copy that is not finite, or its optimizer's state
  std::int32_t non_finite_shard = -1;
  PassReport pass;
};
template <class F>
auto fields(StepsTaken& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), at_most<Bound::shards>(x.moved_bits), x.non_finite,
               x.non_finite_shard, x.pass);
}

/// To a worker: let each of your shards take steps on a copy of weights `from`, which then lies in its gradient's slab.
/// What its optimizer remembers of steps before lies in that buffer of the shard's vectors, too, and goes to `to`.
struct TakeSteps {
  using Reply = StepsTaken;
  std::uint64_t round = 0;
  std::int64_t step = 0;  ///< steps committed so far
  std::int32_t steps = 1;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t updates = 0;              ///< that made the optimizer's state so far
  std::vector<std::uint64_t> rate_bits;  ///< of each step, or one of all; of tensors in no group
  std::int64_t timeout_ms = 0;           ///< how long the driver waits
};
template <class F>
auto fields(TakeSteps& x, F visit) {
  return visit(x.round, x.step, x.steps, x.from, x.to, x.updates, at_most<Bound::local_steps>(x.rate_bits),
               x.timeout_ms);
}

}  // namespace troupe
