#pragma once

#include <chrono>
#include <memory>

#include "actors/transport/admission/message_shapes.hpp"
#include "actors/transport/control_link.hpp"
#include "actors/transport/system.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// Makes an actor of the driver reachable for nodes, over TLS streams that a gate has accepted. The gate has already
/// checked the node's certificate and hello. CAF receives only frames that `LinkAdmission` allows. This class opens no
/// listening socket.
class TlsListener {
 public:
  /// @param reachable the actor that nodes can reach
  /// @param limits the maximum sizes of lists in messages of this run
  /// @throws Error system if CAF cannot publish the actor
  TlsListener(caf::actor_system& system, const caf::actor& reachable, const RunLimits& limits);
  ~TlsListener();
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  /// Passes the stream of a node to CAF, which then uses the stream as a connection. May be called from any thread.
  /// @param link receives the state of the connection
  void hand_over(TlsStream stream, std::shared_ptr<ControlLink> link);

 private:
  struct Door;
  std::shared_ptr<Door> door_;
  caf::io::middleman_actor manager_;
};

/// Passes a node's stream to the driver on to CAF as a connection, and returns the actor that the driver publishes.
/// @param link receives the state of the connection
/// @throws Error protocol if CAF's handshake fails or is not complete within `timeout`
caf::actor connect_tls(caf::actor_system& system, TlsStream stream, std::shared_ptr<ControlLink> link,
                       std::chrono::milliseconds timeout);

}  // namespace troupe
