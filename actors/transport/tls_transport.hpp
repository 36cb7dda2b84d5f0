#pragma once

#include <chrono>
#include <memory>

#include "actors/transport/admission/message_shapes.hpp"
#include "actors/transport/control_link.hpp"
#include "actors/transport/system.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// Makes an actor reachable for nodes over TLS streams that a gate has accepted. CAF receives data only from peers with
/// a certificate and a valid hello, and only frames that `LinkAdmission` allows. Opens no listening socket itself.
class TlsListener {
 public:
  /// @throws Error system
  TlsListener(caf::actor_system& system, const caf::actor& reachable, const RunLimits& limits);
  ~TlsListener();
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  /// Passes the stream to CAF. May be called from any thread.
  void hand_over(TlsStream stream, std::shared_ptr<ControlLink> link);

 private:
  struct Door;
  std::shared_ptr<Door> door_;
  caf::io::middleman_actor manager_;
};

/// Returns the actor that the other end of `stream` publishes.
/// @throws Error protocol or timeout
caf::actor connect_tls(caf::actor_system& system, TlsStream stream, std::shared_ptr<ControlLink> link,
                       std::chrono::milliseconds timeout);

}  // namespace troupe
