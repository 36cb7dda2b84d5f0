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

/// A TLS 1.3 connection (OpenSSL) with a peer whose certificate was signed by the same authority as this process's
/// certificate. Non-blocking. Not thread-safe.
class TlsStream : public ByteStream {
 public:
  /// Connects to an address, and does the TLS handshake as the client. The peer may refuse this process's certificate
  /// after the handshake: with TLS 1.3, the client learns this only when it reads for the first time. In that case,
  /// `say_hello` throws Error protocol.
  /// @param peer the role that the peer's certificate must grant
  /// @throws Error timeout; protocol if the peer does not use TLS 1.3, has no certificate of this process's authority
  /// or has another role; worker_lost if the peer closes the connection; system if the connection is refused
  static TlsStream dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline);
  /// Makes the server side of a TLS connection from a socket that was just accepted. The caller must then call
  /// `accept_some` until it returns `Wants::nothing`.
  TlsStream(FileDescriptor socket, const Credentials& credentials);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  /// Closes the connection. First sends a TLS close notification, if the socket takes it without blocking.
  ~TlsStream() override;

  /// Continues the TLS handshake as far as possible without blocking. Returns `nothing` when the handshake is complete.
  /// Otherwise returns the event for which the caller must wait before it calls again. @throws Error protocol
  Wants accept_some();
  Progress read_some(std::span<std::byte> into) override;
  Progress write_some(std::span<const std::byte> bytes, bool more = false) override;
  /// Returns whether the stream has bytes in its read buffer. A poll of the socket does not detect these bytes. If the
  /// result is true, call `read_some` until it returns no more bytes. The buffer may also contain only an incomplete
  /// TLS record, from which `read_some` cannot return bytes yet.
  bool pending() const;
  /// Makes the stream collect encrypted TLS records from now on, and write many records with one system call. Use this
  /// for large messages.
  void send_in_bulk();
  /// Makes the stream read up to about 16 KB with one system call from now on. Without this, it uses two system calls
  /// for each TLS record. After this call, the stream may have bytes in its read buffer. Call `read_some` until it
  /// returns `Wants::read`, before you wait for the socket.
  void read_ahead();
  /// Like `read_ahead`, but with a read buffer of 128 KiB, which holds several large TLS records.
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
  /// Returns the event for which the caller must wait, after an OpenSSL call that did not succeed.
  /// @param result the result of the OpenSSL call
  /// @param doing the operation for the error message, such as "read"
  /// @throws Error protocol for an error of the peer
  Wants wants_after(int result, const char* doing);
  /// Adds `written` to the number of bytes that were encrypted with the present key. If there are too many, replaces
  /// the key with which this side encrypts (a TLS key update).
  void renew_key(std::size_t written);

  FileDescriptor socket_;
  const Credentials* credentials_;  ///< used only until the end of the handshake
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
  std::size_t held_ =
      0;  ///< number of bytes that OpenSSL has encrypted, but that the caller must pass to `write_some` again
  std::size_t since_renewal_ = 0;  ///< number of bytes that were encrypted with the present key
};

}  // namespace troupe
