#pragma once

#include "actors/messages/asynchronous.hpp"
#include "actors/schedules/memory.hpp"

namespace troupe_test {

/// A parameter server that counts. Each float of its slice is the number of gradients that have been applied to it.
/// Throws std::logic_error for violations: a gradient that is applied twice, weights that are not all from the last
/// push, a push without a computed gradient.
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
