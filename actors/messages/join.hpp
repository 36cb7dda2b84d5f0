#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/bounds.hpp"
#include "actors/messages/copies.hpp"

namespace troupe {

inline constexpr std::uint32_t kProtocolVersion = 27;

/// The reason with which the driver refuses a node that wants to join while the run works, and for which the run has
/// room. The driver takes the node into the run after the present step, if the node tries again soon.
inline constexpr const char* kTryAgainSoon = "the run takes in new nodes between two steps; try again";

/// The reason with which the driver refuses a node that wants to leave (Purpose::hand_over), and is not needed.
inline constexpr const char* kMayLeave = "the run continues without it";

/// A message that a worker's actor sends once to the driver, to join the run.
struct Join {
  std::uint32_t protocol = kProtocolVersion;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
};
template <class F>
auto fields(Join& x, F visit) {
  return visit(x.protocol, x.worker, x.pid);
}

/// A message that a node's actor sends once to the driver, to join the run.
struct NodeJoin {
  std::uint32_t protocol = kProtocolVersion;
  std::string token;  ///< the token in the hello of the connection over which this message is sent
  std::int32_t pid = 0;
  std::int32_t cores = 0;
  std::int32_t devices = 0;  ///< the number of accelerators
  std::string host;          ///< the address of the node's gate; `port` is the gate's port
  std::uint16_t port = 0;
  std::string arithmetic;           ///< the node's instruction set and libraries; see runtime/arithmetic.hpp
  std::vector<OfferedCopy> copies;  ///< the complete copies of the state that the node keeps
};
template <class F>
auto fields(NodeJoin& x, F visit) {
  return visit(x.protocol, at_most<Bound::token>(x.token), x.pid, x.cores, x.devices, at_most<Bound::host>(x.host),
               x.port, x.arithmetic, at_most<Bound::buffers>(x.copies));
}

/// A request to a node: start a worker with this number, in place of the present worker with the same number. The new
/// worker sends the reply.
struct StartWorker {
  using Reply = Join;
  std::int32_t worker = 0;
};
template <class F>
auto fields(StartWorker& x, F visit) {
  return visit(x.worker);
}

}  // namespace troupe
