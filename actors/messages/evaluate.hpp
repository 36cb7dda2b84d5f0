#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"

namespace troupe {

struct Evaluated {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> correct;
  std::vector<std::int64_t> samples;
};
template <class F>
auto fields(Evaluated& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.correct), at_most<Bound::shards>(x.samples));
}

/// To a worker: measure its shards of a set.
struct Evaluate {
  using Reply = Evaluated;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  std::int64_t step = 0;
  std::int32_t set = 0;  ///< EvaluationSet
};
template <class F>
auto fields(Evaluate& x, F visit) {
  return visit(x.round, x.buffer, x.step, x.set);
}

}  // namespace troupe
