#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/net/gate/hello.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The only object through which a process listens to a network. A caller is a peer that opens a connection. The gate
/// accepts the connection, does the TLS handshake, reads the caller's hello, and passes the connection to a function of
/// its owner. The gate drops a caller that has no certificate of the authority, does not use TLS 1.3, sends an invalid
/// hello or is too slow. Each dropped caller is logged with one line; repetitions from the same host for the same
/// reason within a minute are only counted. The memory for each caller is bounded.
class Gate {
 public:
  /// The gate calls the function `Admit` after a caller's hello. `Admit` returns the verdict about the caller. `Admit`
  /// and `Take` run on the gate's thread and must not block. If the verdict is a refusal, the gate sends the reason and
  /// closes the connection. If the verdict has a status text, the gate sends this text and closes the connection.
  /// Otherwise the gate sends the acceptance, and passes the connection to the function `Take`.
  using Admit = std::function<Verdict(const Hello& hello, const TlsStream& stream)>;
  using Take = std::function<void(const Hello& hello, TlsStream stream)>;

  /// The maximum number of half-open connections: connections whose handshake and hello are not finished. A quarter of
  /// the process's limit on open files applies instead, if that is less. A source is an IPv4 address or an IPv6 /64
  /// network. When the maximum is exceeded, or no file descriptor remains, the gate drops the oldest connection of the
  /// source that has the most connections. Therefore a flood of connections from one source does not lock out other
  /// sources.
  static constexpr std::size_t kMaxHalfOpen = 256;
  static constexpr std::chrono::seconds kHandshakeTimeout{
      5};  ///< the maximum time from accepting a connection to the end of the gate's answer

  /// Starts to listen on the address `listen`; port 0 means any free port.
  /// @param admit,take the functions that the gate calls for each caller
  /// @param handshake_timeout the maximum time from accepting a connection to the end of the gate's answer
  /// @param log the log for refused callers
  /// @throws Error system that contains the address, if listening fails
  Gate(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
       std::chrono::milliseconds handshake_timeout = kHandshakeTimeout,
       std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Returns the numeric address at which the gate listens. Its port is the actual port, even if port 0 was requested.
  const Address& address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
