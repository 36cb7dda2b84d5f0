#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"
#include "runtime/net/credentials.hpp"

namespace troupe {

/// A TLS 1.3 connection whose peer has shown a certificate of our authority. Non-blocking below; one thread at a time.
class TlsStream {
 public:
  /// How far a non-blocking call got.
  enum class Wants : unsigned char { nothing, read, write, closed };
  struct Progress {
    std::size_t bytes = 0;
    Wants wants = Wants::nothing;  ///< what must become possible before it can go on; closed: never
  };

  /// Dials and shakes hands. @throws Error timeout; protocol when the peer is no TLS 1.3, has no certificate of our
  /// authority or does not have the role `peer`, or refuses ours; system when nobody listens there.
  static TlsStream dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline);
  /// The server's side of a connection just accepted; nothing has been said yet: call `accept_some` until it wants
  /// nothing.
  TlsStream(FileDescriptor socket, const Credentials& credentials);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  ~TlsStream();

  /// Goes on with the handshake. @throws Error protocol
  Progress accept_some();
  /// @throws Error protocol on anything but an orderly end or a broken connection, which are `closed`.
  Progress read_some(std::span<std::byte> into);
  Progress write_some(std::span<const std::byte> bytes);
  /// Bytes that are decrypted already: reading them needs no readiness of the socket.
  std::size_t pending() const;

  /// Waits for the socket in between. @throws Error timeout, or worker_lost when the connection ends.
  void read_all(std::span<std::byte> into, const Deadline& deadline);
  void write_all(std::span<const std::byte> bytes, const Deadline& deadline);

  int fd() const { return socket_.get(); }
  /// Of the peer's certificate, once hands are shaken.
  const std::string& peer_name() const { return peer_name_; }
  Role peer_role() const { return peer_role_; }
  /// Such as "10.0.0.2:41234".
  std::string peer_address() const;
  /// Our end's, without a port.
  std::string local_host() const;

 private:
  TlsStream(FileDescriptor socket, SSL_CTX* context);
  Progress outcome(int result, const char* doing);
  void note_peer();

  FileDescriptor socket_;
  std::shared_ptr<SSL> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
};

}  // namespace troupe
