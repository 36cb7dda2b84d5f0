#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

// Messages that move vectors between the driver, a node's workers and the state of all nodes. A transfer object is an
// object in the node's store. It is removed after its last use, or with the generation.
namespace troupe {

/// A request to a node: create a transfer object that a worker will write.
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

/// A request to a node: create a transfer object whose content the driver will send.
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

/// A request to a node: wait until the expected transfer object has arrived, and let workers read it.
struct EndTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
  std::uint64_t ticket = 0;  ///< the ticket of the data; greater than all earlier tickets
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(EndTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats, x.ticket, x.timeout_ms);
}

/// A request to a node: send a transfer object that a worker has written to the driver, then remove it.
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

/// A request to a node: remove all transfer objects.
struct DropTransfers {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(DropTransfers& x, F visit) {
  return visit(x.round);
}

/// A request to all nodes but the first: allow the first node to write a vector, once.
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

/// A request to all nodes: the first node copies the transfer object that its worker has written into a vector, and
/// sends the vector to the other nodes. If `alone`, this is a request to one node, which copies and sends nothing.
/// Afterwards the nodes remove the transfer objects.
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

/// A request to all nodes: set the optimizer's vectors to zero.
struct ClearState {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
};
template <class F>
auto fields(ClearState& x, F visit) {
  return visit(x.round, x.buffer);
}

/// A request to the first node: allow each other node to write its slices of a vector, once.
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

/// A request to all nodes: send your own slices of this vector to the first node. The first node waits until its vector
/// is complete.
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
