#pragma once

#include <chrono>
#include <memory>

#include "actors/transport/admission/message_shapes.hpp"
#include "actors/transport/control_link.hpp"
#include "actors/transport/system.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// Lets nodes reach an actor by CAF's messages over TLS streams that a gate has taken: CAF hears nobody who has not
/// shown a certificate and said hello, and nothing that `LinkAdmission` does not let through. Listens to nothing
/// itself.
class TlsListener {
 public:
  /// @throws Error system
  TlsListener(caf::actor_system& system, const caf::actor& reachable, const RunLimits& limits);
  ~TlsListener();
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  /// From now on the stream is CAF's. Any thread.
  void hand_over(TlsStream stream, std::shared_ptr<ControlLink> link);

 private:
  struct Door;
  std::shared_ptr<Door> door_;
  caf::io::middleman_actor manager_;
};

/// The actor that the other end of `stream` publishes. @throws Error protocol or timeout
caf::actor connect_tls(caf::actor_system& system, TlsStream stream, std::shared_ptr<ControlLink> link,
                       std::chrono::milliseconds timeout);

}  // namespace troupe
