#pragma once

#include "actors/messages/asynchronous.hpp"
#include "actors/schedules/memory.hpp"

namespace troupe_test {

/// A parameter server that counts. Each float of its slice is the number of gradients that have been applied to it;
/// what must not be throws std::logic_error: a gradient that is applied twice, weights of which some are not those of
/// the last push, a push of what nobody has computed.
class SimulatedServer {
 public:
  SimulatedServer(Memory& memory, const troupe::Range& slice) : memory_(memory), slice_(slice) {}

  troupe::Pushed carry_out(const troupe::Push& push);

 private:
  void apply(const troupe::Push& push);

  Memory& memory_;
  troupe::Range slice_;
};

}  // namespace troupe_test
