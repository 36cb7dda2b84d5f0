#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

// Messages that move vectors between the driver, the workers of a node, and the state in the stores of all nodes. They
// use transfer objects in the node's store. A transfer object is removed after its last use, or when its generation
// ends.
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

/// A request to a node: wait until the content of a transfer object of `ExpectTransfer` has arrived from the driver,
/// and then let workers read it.
struct EndTransfer {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
  std::uint64_t ticket = 0;  ///< the ticket with which the driver sends the data; greater than all earlier tickets
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(EndTransfer& x, F visit) {
  return visit(x.round, x.transfer, x.floats, x.ticket, x.timeout_ms);
}

/// A request to a node: send a transfer object, which a worker has written, to the driver, and then remove the transfer
/// object.
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

/// A request to all nodes but the first: allow the first node to write a vector of the state once.
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

/// A request to all nodes: the first node copies the transfer object, which its worker has written, into a vector of
/// the state, and sends this vector to the other nodes. The other nodes wait for the vector. If `alone` is true, the
/// request is for one node only, which copies its transfer object and sends nothing. Afterwards the nodes remove their
/// transfer objects.
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

/// A request to all nodes: set the optimizer's vectors in this buffer to zero.
struct ClearState {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
};
template <class F>
auto fields(ClearState& x, F visit) {
  return visit(x.round, x.buffer);
}

/// A request to the first node: allow each other node to write its own slices of a vector of the state once.
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

/// A request to all nodes: each node sends its own slices of a vector of the state to the first node. The first node
/// replies when its vector is complete.
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
