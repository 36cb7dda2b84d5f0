#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/net/gate/hello.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe {

/// The one place where a process listens to a network. Accepts connections, shakes hands, hears a hello and hands the
/// stream on. Whoever has no certificate of the authority, is no TLS 1.3, says no proper hello or takes too long is
/// dropped with one line in the log (further ones of the same kind and host within a minute are only counted),
/// and costs a bounded amount of memory meanwhile.
class Gate {
 public:
  /// What becomes of a caller. Called on the gate's thread; must not block. Whom it does not refuse `Take` gets, with
  /// the acceptance written, unless a status is all that he wants, which the gate tells him itself.
  using Admit = std::function<Verdict(const Hello& hello, const TlsStream& stream)>;
  using Take = std::function<void(const Hello& hello, TlsStream stream)>;

  /// Of more, or of more than a quarter of the files that the process may have, the oldest of the address (of IPv6 the
  /// /64 network) that holds most is dropped: who floods a gate keeps nobody out but himself. So he is where there is
  /// no file left for a newcomer.
  static constexpr std::size_t kMaxHalfOpen = 256;
  static constexpr std::chrono::seconds kHandshakeTimeout{5};  ///< from accept to the end of the answer

  /// Listens from now on. Port 0: any free one. @throws Error system when it cannot, naming the address.
  Gate(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
       std::chrono::milliseconds handshake_timeout = kHandshakeTimeout,
       std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Numeric, with the port that was chosen.
  const Address& address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
