#include "actors/schedules/simulated_server.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe_test {

using namespace troupe;

Pushed SimulatedServer::carry_out(const Push& push) {
  Pushed pushed;
  pushed.round = push.round;
  if (push.applies) apply(push);
  const Floats& now =
      memory_.slabs->vectors.at(kWeightsVector).at(static_cast<std::size_t>(push.applies ? push.to : push.from));
  if (now[slice_.begin] != static_cast<float>(memory_.applied[slice_.begin].size()))
    throw std::logic_error("a server serves or changes weights that are not from the last push");
  if (!push.serves) return pushed;
  Floats& served = memory_.slabs->served.at(static_cast<std::size_t>(push.rank));
  if (served[slice_.begin] > now[slice_.begin])
    throw std::logic_error("a worker receives an older version than before");
  std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(slice_.begin), slice_.size(),
              served.begin() + static_cast<std::ptrdiff_t>(slice_.begin));
  return pushed;
}

void SimulatedServer::apply(const Push& push) {
  auto& weights = memory_.slabs->vectors.at(kWeightsVector);
  const Floats& from = weights.at(static_cast<std::size_t>(push.from));
  Floats& to = weights.at(static_cast<std::size_t>(push.to));
  const auto& gradients = memory_.slabs->computed.at(static_cast<std::size_t>(push.rank));
  if (gradients.empty()) throw std::logic_error("a push without a computed gradient");
  if (push.from == push.to) throw std::logic_error("a push is applied to the buffer that others read");
  for (const auto& gradient : gradients)
    if (!memory_.applied[slice_.begin].insert(gradient).second) throw std::logic_error("a gradient is applied twice");
  for (std::size_t i = slice_.begin; i < slice_.end; ++i) to[i] = from[i] + static_cast<float>(gradients.size());
}

}  // namespace troupe_test
