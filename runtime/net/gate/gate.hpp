#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/net/gate/hello.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The only place where a process listens to a network. Accepts connections, does the TLS handshake, reads a hello and
/// passes the stream on. A caller is dropped, with one line in the log, if it has no certificate of the authority, does
/// not use TLS 1.3, sends an invalid hello or is too slow. Repetitions of the same kind and host within a minute are
/// only counted. Memory for each caller is bounded.
class Gate {
 public:
  /// `Admit` decides about a caller. It runs on the gate's thread and must not block. Accepted callers are passed to
  /// `Take`, after the acceptance has been written. If the verdict has a status, the gate sends the status itself and
  /// closes the connection.
  using Admit = std::function<Verdict(const Hello& hello, const TlsStream& stream)>;
  using Take = std::function<void(const Hello& hello, TlsStream stream)>;

  /// The maximum number of unfinished handshakes, further limited to a quarter of the process's file limit. Beyond this
  /// limit, or if no file descriptor is left, the gate drops the oldest connection of the address that has the most.
  /// For IPv6 the /64 network counts instead of the address. So a flood from one address does not lock out others.
  static constexpr std::size_t kMaxHalfOpen = 256;
  static constexpr std::chrono::seconds kHandshakeTimeout{5};  ///< from accept to the end of the answer

  /// Starts to listen. Port 0 means any free port. @throws Error system, naming the address, if listening fails.
  Gate(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
       std::chrono::milliseconds handshake_timeout = kHandshakeTimeout,
       std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Returns the numeric address, with the actual port.
  const Address& address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
