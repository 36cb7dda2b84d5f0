#include "actors/servers/parameter_server.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "actors/messages/bounds.hpp"
#include "collectives/exchange/reduce.hpp"
#include "models/dense.hpp"
#include "runtime/clock.hpp"

namespace troupe {

ParameterServer::ParameterServer(std::shared_ptr<const ServedState> state, std::shared_ptr<ServerExchange> exchange,
                                 int num_shards, const Range& slice, std::size_t learned_size,
                                 const OptimizerSettings& optimizer)
    : state_(std::move(state)),
      exchange_(std::move(exchange)),
      num_shards_(num_shards),
      slice_(slice),
      learned_size_(learned_size),
      optimizer_(optimizer) {}

Pushed ParameterServer::carry_out(const Push& push) {
  const Deadline deadline = deadline_of(push).earlier();
  Pushed reply;
  reply.round = push.round;
  Stopwatch since;
  if (push.applies) {
    try {
      const PushedSlice pushed = exchange_->pushed(push.rank, slice_, push.round, deadline);
      since.lap();  // the time of waiting for the network does not count as the server's time
      reply.bytes_pushed = pushed.bytes;
      reply.finite = apply(push, pushed);
    } catch (...) {
      keep(push);
      throw;
    }
    if (!reply.finite) keep(push);
  }
  reply.seconds_bits = to_bits(since.seconds());
  if (push.serves) {
    exchange_->serve(push.rank, slice_, state_->vector(kWeightsVector, push.applies ? push.to : push.from), push.round,
                     deadline);
    reply.bytes_fetched = static_cast<std::int64_t>(slice_.size() * sizeof(float));
  }
  return reply;
}

bool ParameterServer::apply(const Push& push, const PushedSlice& pushed) {
  if (!learned().empty() && !update(push, pushed)) return false;
  if (statistics().empty()) return true;
  update_statistics(push, pushed);
  return all_finite(state_->vector(kWeightsVector, push.to).subspan(statistics().begin, statistics().size()));
}

bool ParameterServer::update(const Push& push, const PushedSlice& pushed) {
  const double rate = from_bits(push.rate_bits) * from_bits(push.share_bits);
  const UpdateFunction update = optimizer_.prepare({rate, push.step, push.updates}).front();
  bool finite = true;
  const Range range{learned().begin - pushed.begin, learned().end - pushed.begin};
  reduce_and_apply(pushed.gradients, push.samples, range, [&](std::size_t at, std::span<const float> mean) {
    const std::size_t begin = at + pushed.begin;
    std::array<const float*, kMostStateVectors> state{};
    std::array<float*, kMostStateVectors> new_state{};
    for (int vector = 0; vector < optimizer_.state_vectors(); ++vector) {
      const auto index = static_cast<std::size_t>(vector);
      state[index] = state_->vector(kWeightsVector + 1 + vector, push.from).data() + begin;
      new_state[index] = state_->vector(kWeightsVector + 1 + vector, push.to).data() + begin;
    }
    finite = update({mean.size(), mean.data(), state_->vector(kWeightsVector, push.from).data() + begin,
                     state_->vector(kWeightsVector, push.to).data() + begin, state.data(), new_state.data()}) &&
             finite;
  });
  return finite;
}

/// Adds the changes of the statistics that the worker has pushed, divided by the number of shards of the run. Therefore
/// the pushes of all shards together change the statistics by the mean of the shards' changes, as in a synchronous
/// step.
void ParameterServer::update_statistics(const Push& push, const PushedSlice& pushed) {
  const auto from = state_->vector(kWeightsVector, push.from);
  const auto to = state_->vector(kWeightsVector, push.to);
  const Range range{statistics().begin - pushed.begin, statistics().end - pushed.begin};
  reduce_and_apply(pushed.gradients, num_shards_, range, [&](std::size_t at, std::span<const float> change) {
    for (std::size_t i = 0; i < change.size(); ++i) to[at + pushed.begin + i] = from[at + pushed.begin + i] + change[i];
  });
}

/// Copies the slice from the old buffer (`push.from`) to the new buffer (`push.to`), for a push that is not applied.
void ParameterServer::keep(const Push& push) {
  for (int vector = 0; vector < state_->layout().vectors; ++vector)
    std::memcpy(state_->vector(vector, push.to).data() + slice_.begin,
                state_->vector(vector, push.from).data() + slice_.begin, slice_.size() * sizeof(float));
}

}  // namespace troupe
