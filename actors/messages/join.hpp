#pragma once

#include <cstdint>
#include <string>

#include "actors/messages/bounds.hpp"

namespace troupe {

inline constexpr std::uint32_t kProtocolVersion = 22;

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
  std::string token;  ///< the token of the hello on the connection that carries this message
  std::int32_t pid = 0;
  std::int32_t cores = 0;
  std::int32_t devices = 0;  ///< the number of accelerators
  std::string host;          ///< the address of the node's gate
  std::uint16_t port = 0;
  std::string arithmetic;  ///< see runtime/arithmetic.hpp
};
template <class F>
auto fields(NodeJoin& x, F visit) {
  return visit(x.protocol, at_most<Bound::token>(x.token), x.pid, x.cores, x.devices, at_most<Bound::host>(x.host),
               x.port, x.arithmetic);
}

/// A request to a node: start a worker in place of the present worker with this index. The new worker sends the reply.
struct StartWorker {
  using Reply = Join;
  std::int32_t worker = 0;
};
template <class F>
auto fields(StartWorker& x, F visit) {
  return visit(x.worker);
}

}  // namespace troupe
