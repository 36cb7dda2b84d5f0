#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

// Vectors on their way between the driver, a node's workers and the state of all nodes. A transfer object is one of the
// node's store; it goes with its last use, or with the generation.
namespace troupe {

/// To a node: make a transfer object for a worker to write.
struct CreateTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
};
template <class F>
auto fields(CreateTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats);
}

/// To a node: make one that the driver is going to send.
struct ExpectTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
};
template <class F>
auto fields(ExpectTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats);
}

/// To a node: wait until that has come, and let workers read it.
struct EndTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
  std::uint64_t ticket = 0;  ///< of what is sent; greater than any before
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(EndTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats, x.ticket, x.timeout_ms);
}

/// To a node: send what a worker wrote to the driver; then it is not needed any more.
struct SendTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
  std::uint64_t ticket = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(SendTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats, x.ticket, x.timeout_ms);
}

/// To a node: what transfers there are is needed no more.
struct DropTransfers {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(DropTransfers& x, F visit) {
  return visit(x.round);
}

/// To all but the first node: let it write a vector, once.
struct ExpectPlaced {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
};
template <class F>
auto fields(ExpectPlaced& x, F visit) {
  return visit(x.round, x.vector, x.buffer);
}

/// To all nodes: the first makes what its worker wrote a vector of its own, and sends it to the rest. Or to one alone,
/// which makes it a vector of its own. Transfers that led here are not needed any more.
struct Place {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
  std::uint64_t ticket = 0;
  std::int64_t timeout_ms = 0;
  bool alone = false;
};
template <class F>
auto fields(Place& x, F visit) {
  return visit(x.round, x.transfer, x.vector, x.buffer, x.ticket, x.timeout_ms, x.alone);
}

/// To all nodes: make the optimizer's vectors zero.
struct ClearState {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
};
template <class F>
auto fields(ClearState& x, F visit) {
  return visit(x.round, x.buffer);
}

/// To the first node: let each other node write its slices of a vector, once.
struct ExpectSlices {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
};
template <class F>
auto fields(ExpectSlices& x, F visit) {
  return visit(x.round, x.vector, x.buffer);
}

/// To all nodes: send those to the first, which waits until its vector is whole.
struct GatherSlices {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
  std::uint64_t ticket = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(GatherSlices& x, F visit) {
  return visit(x.round, x.vector, x.buffer, x.ticket, x.timeout_ms);
}

}  // namespace troupe
