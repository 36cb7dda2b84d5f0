#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

StateDescription AlgorithmRunner::state(const UpdateRules& optimizer, int /*num_shards*/,
                                        std::int64_t /*steps_per_epoch*/) const {
  StateDescription state;
  for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
    state.saved.push_back(optimizer.state_name(vector));
  state.shape.vectors = 1 + optimizer.state_vectors();
  return state;
}

}  // namespace troupe
