#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "runtime/net/byte_stream.hpp"
#include "runtime/net/credentials.hpp"
#include "runtime/net/traffic_secret.hpp"

namespace troupe::net {

/// How two sides of a TLS 1.3 connection come to know each other and to share secrets: OpenSSL's part. It reads not a
/// byte of what follows the handshake.
class TlsHandshake {
 public:
  /// Makes the handshakes of a context hear the secrets that they agree on.
  static void hear_secrets(SSL_CTX* context);

  /// Our side, of a socket that outlives this, as the credentials do. @throws Error system
  TlsHandshake(int socket, const Credentials& credentials, bool server);
  ~TlsHandshake();

  /// Goes on until hands are shaken (it wants nothing), or the socket must become ready, or the peer hung up.
  /// @throws Error protocol: the peer is no TLS 1.3, or has no certificate of our authority with a role and a name, or
  /// is a driver of another name than ours is to have.
  ByteStream::Wants go_on();

  // Once hands are shaken:

  const std::string& peer_name() const { return peer_name_; }
  Role peer_role() const { return peer_role_; }
  /// Of what we send, and of what we receive. @throws Error system when OpenSSL did not tell
  TrafficSecret sending() const;
  TrafficSecret receiving() const;

 private:
  struct Secrets;

  void note_peer();

  bool server_;
  const Credentials& credentials_;
  std::unique_ptr<Secrets> secrets_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
};

}  // namespace troupe::net
