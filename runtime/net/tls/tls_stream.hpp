#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"
#include "runtime/net/byte_stream.hpp"
#include "runtime/net/tls/credentials.hpp"

namespace troupe {

/// A TLS 1.3 connection (OpenSSL) with a peer that has a certificate of our authority. Non-blocking. Not thread-safe.
class TlsStream : public ByteStream {
 public:
  /// Connects to an address and does the handshake as the client. `peer` is the role that the peer's certificate must
  /// grant.
  /// @throws Error timeout; protocol if the peer does not use TLS 1.3, has no certificate of our authority or has
  /// another role; worker_lost if the peer closes the connection; system if the connection is refused
  /// With TLS 1.3, the client learns only from its first read that the peer refuses our certificate. `say_hello` then
  /// throws Error protocol.
  static TlsStream dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline);
  /// Makes the server side of a connection that was just accepted. Call `accept_some` until it returns
  /// `Wants::nothing`.
  TlsStream(FileDescriptor socket, const Credentials& credentials);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  /// Closes the connection. First sends a close notification, if that is possible without blocking.
  ~TlsStream() override;

  /// Continues the handshake as far as possible without blocking. Returns `nothing` when the handshake is complete,
  /// otherwise the event to wait for. @throws Error protocol
  Wants accept_some();
  Progress read_some(std::span<std::byte> into) override;
  Progress write_some(std::span<const std::byte> bytes, bool more = false) override;
  /// Returns whether the stream has buffered bytes, which polling the socket does not detect. If so, call `read_some`
  /// until it returns no more bytes. The buffered bytes may also be an incomplete TLS record, from which nothing can be
  /// read yet.
  bool pending() const;
  /// From now on, collects encrypted records and passes many of them to the socket with one system call, for large
  /// messages.
  void send_in_bulk();
  /// From now on, reads about 16 KB with one system call, instead of using two calls for each record. The stream may
  /// then have buffered more bytes: call `read_some` until it returns `Wants::read` before waiting for the socket.
  void read_ahead();
  /// Like `read_ahead`, with a buffer for many large records.
  void receive_in_bulk();

  int fd() const override { return socket_.get(); }
  /// Returns the common name in the peer's certificate; valid after the handshake.
  const std::string& peer_name() const { return peer_name_; }
  Role peer_role() const { return peer_role_; }
  /// Returns the peer's address, such as "10.0.0.2:41234".
  std::string peer_address() const;
  /// Returns the local address, without a port.
  std::string local_host() const;

 private:
  TlsStream(FileDescriptor socket, const Credentials& credentials, SSL_CTX* context);
  void shake_hands(const Deadline& deadline);
  void note_peer();
  /// Converts the `result` of an OpenSSL call that did not succeed to the event to wait for. @param doing what failed,
  /// for the error message @throws Error protocol for an error of the peer
  Wants wants_after(int result, const char* doing);
  /// Counts `written` bytes, and renews the key of this direction if enough bytes were encrypted with it.
  void renew_key(std::size_t written);

  FileDescriptor socket_;
  const Credentials* credentials_;  ///< used only until the end of the handshake
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
  std::size_t held_ =
      0;  ///< number of bytes that OpenSSL has encrypted and that the caller will pass to `write_some` again
  std::size_t since_renewal_ = 0;  ///< number of bytes written under the current key
};

}  // namespace troupe
