#include "actors/servers/parameter_server.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "collectives/exchange/reduce.hpp"
#include "models/dense.hpp"
#include "runtime/clock.hpp"

namespace troupe {

ParameterServer::ParameterServer(std::shared_ptr<const ServedState> state, const Topology& topology, int devices,
                                 const Range& slice, std::size_t learned_size, const OptimizerOptions& optimizer)
    : state_(std::move(state)),
      topology_(topology),
      devices_(devices),
      slice_(slice),
      learned_size_(learned_size),
      optimizer_(optimizer) {}

Pushed ParameterServer::carry_out(const Push& push) {
  Stopwatch since;
  Pushed pushed;
  pushed.round = push.round;
  const auto bytes = static_cast<std::int64_t>(slice_.size() * sizeof(float));
  if (push.applies) {
    try {
      pushed.finite = apply(push);
    } catch (...) {
      keep(push);
      throw;
    }
    if (!pushed.finite) keep(push);
    pushed.bytes_pushed = bytes;
  }
  if (push.serves) {
    const auto now = state_->vector(kWeightsVector, push.applies ? push.to : push.from);
    const auto to = state_->served(static_cast<std::size_t>(push.rank));
    std::memcpy(to.data() + slice_.begin, now.data() + slice_.begin, slice_.size() * sizeof(float));
    pushed.bytes_fetched = bytes;
  }
  pushed.seconds_bits = to_bits(since.seconds());
  return pushed;
}

bool ParameterServer::apply(const Push& push) {
  const auto first = static_cast<std::size_t>(push.rank) * static_cast<std::size_t>(devices_);
  const Range shards = topology_.shards_of_lanes({first, first + static_cast<std::size_t>(devices_)});
  const Gradients pushed(state_->gradients().begin() + static_cast<std::ptrdiff_t>(shards.begin),
                         state_->gradients().begin() + static_cast<std::ptrdiff_t>(shards.end));
  if (!learned().empty() && !update(push, pushed)) return false;
  if (statistics().empty()) return true;
  update_statistics(push, pushed);
  return all_finite(state_->vector(kWeightsVector, push.to).subspan(statistics().begin, statistics().size()));
}

bool ParameterServer::update(const Push& push, const Gradients& pushed) {
  const double rate = from_bits(push.rate_bits) * from_bits(push.share_bits);
  const UpdateFunction update = optimizer_.prepare({rate, push.step, push.updates}).front();
  bool finite = true;
  reduce_and_apply(pushed, push.samples, learned(), [&](std::size_t begin, std::span<const float> mean) {
    std::array<const float*, kMostStateVectors> state{};
    std::array<float*, kMostStateVectors> new_state{};
    for (int vector = 0; vector < optimizer_.state_vectors(); ++vector) {
      const auto at = static_cast<std::size_t>(vector);
      state[at] = state_->vector(kWeightsVector + 1 + vector, push.from).data() + begin;
      new_state[at] = state_->vector(kWeightsVector + 1 + vector, push.to).data() + begin;
    }
    finite = update({mean.size(), mean.data(), state_->vector(kWeightsVector, push.from).data() + begin,
                     state_->vector(kWeightsVector, push.to).data() + begin, state.data(), new_state.data()}) &&
             finite;
  });
  return finite;
}

/// Each gradient moves them by its part of a step, as it moves weights.
void ParameterServer::update_statistics(const Push& push, const Gradients& pushed) {
  const auto from = state_->vector(kWeightsVector, push.from);
  const auto to = state_->vector(kWeightsVector, push.to);
  const Range range = statistics();
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(range.begin),
            from.begin() + static_cast<std::ptrdiff_t>(range.end),
            to.begin() + static_cast<std::ptrdiff_t>(range.begin));
  for (const auto& changes : pushed)
    add_scaled(1 / static_cast<float>(topology_.num_shards), changes.data() + range.begin, range.size(),
               to.data() + range.begin);
}

/// As if it had not come.
void ParameterServer::keep(const Push& push) {
  for (int vector = 0; vector < state_->layout().vectors; ++vector)
    std::memcpy(state_->vector(vector, push.to).data() + slice_.begin,
                state_->vector(vector, push.from).data() + slice_.begin, slice_.size() * sizeof(float));
}

}  // namespace troupe
