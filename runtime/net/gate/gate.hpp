#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/net/gate/hello.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The only place where a process listens to a network. Accepts connections, does the TLS handshake, reads the caller's
/// hello and passes the connection on. A caller is dropped if it has no certificate of the authority, does not use TLS
/// 1.3, sends an invalid hello or is too slow. Each dropped caller is logged with one line, but repetitions from the
/// same host, for the same reason and within a minute, are only counted. The memory for each caller is bounded.
class Gate {
 public:
  /// `Admit` decides about a caller after its hello. It runs on the gate's thread and must not block. If the verdict
  /// accepts the caller, the gate sends the acceptance and passes the connection to `Take`. If the verdict also has a
  /// status text, the gate sends that text and closes the connection instead.
  using Admit = std::function<Verdict(const Hello& hello, const TlsStream& stream)>;
  using Take = std::function<void(const Hello& hello, TlsStream stream)>;

  /// The maximum number of connections that have not finished their handshake and hello. A quarter of the process's
  /// limit on open files applies instead, if that is less. When the maximum is exceeded, or no file descriptor is left,
  /// the gate drops the oldest connection of the source that has the most connections. A source is an IPv4 address or
  /// an IPv6 /64 network. A flood from one source therefore does not lock out others.
  static constexpr std::size_t kMaxHalfOpen = 256;
  static constexpr std::chrono::seconds kHandshakeTimeout{
      5};  ///< from accepting a connection to the end of the gate's answer

  /// Starts to listen on an address; port 0 means any free port. @throws Error system that names the address, if
  /// listening fails
  /// @param handshake_timeout time for a caller until it has received the gate's answer
  /// @param log records refused callers
  Gate(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
       std::chrono::milliseconds handshake_timeout = kHandshakeTimeout,
       std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Returns the numeric address at which the gate listens, with the actual port.
  const Address& address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
