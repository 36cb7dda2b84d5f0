#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "actors/system.hpp"
#include "runtime/net/tls_stream.hpp"

namespace troupe {

/// What is known of a control connection while CAF uses it.
struct ControlLink {
  std::string name;                   ///< of the peer's certificate
  std::string address;                ///< of the peer
  std::atomic<int> round_trip_us{0};  ///< the least that the kernel saw, which leaves delayed acknowledgements out
  std::atomic<bool> open{true};
};

/// Lets nodes reach an actor by CAF's messages over TLS streams that a gate has taken: CAF hears nobody who has not
/// shown a certificate and said hello. Listens to nothing itself.
class TlsListener {
 public:
  /// @throws Error system
  TlsListener(caf::actor_system& system, const caf::actor& reachable);
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
caf::actor connect_tls(caf::actor_system& system, TlsStream stream, std::chrono::milliseconds timeout);

}  // namespace troupe
