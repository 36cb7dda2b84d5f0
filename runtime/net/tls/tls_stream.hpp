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

/// A TLS 1.3 connection (OpenSSL) whose peer has presented a certificate of our authority. Non-blocking. Not
/// thread-safe.
class TlsStream : public ByteStream {
 public:
  /// Connects and does the handshake. @throws Error timeout; protocol if the peer does not use TLS 1.3, has no
  /// certificate of our authority or does not have the role `peer`; worker_lost if it closes the connection; system if
  /// the connection is refused. With TLS 1.3, a peer's refusal of our certificate arrives only with the first read: as
  /// Error protocol from `say_hello`.
  static TlsStream dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline);
  /// The server side of a connection that was just accepted. Call `accept_some` until it returns `Wants::nothing`.
  TlsStream(FileDescriptor socket, const Credentials& credentials);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  /// Sends a close notification, if that is possible without blocking.
  ~TlsStream() override;

  /// Continues the handshake. @throws Error protocol
  Wants accept_some();
  Progress read_some(std::span<std::byte> into) override;
  Progress write_some(std::span<const std::byte> bytes, bool more = false) override;
  /// Returns whether bytes are buffered here that polling the socket does not see: read until no more come. They may be
  /// only a part of a record, from which nothing can be read yet.
  bool pending() const;
  /// Passes many records to the socket with one system call from now on.
  void send_in_bulk();
  /// Reads about 16 KB with one system call from now on, instead of two calls per record. Before waiting for the
  /// socket, such a stream must be read until it returns `Wants::read`.
  void read_ahead();
  /// The same, with a buffer for many large records.
  void receive_in_bulk();

  int fd() const override { return socket_.get(); }
  /// The name in the peer's certificate; valid after the handshake.
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
  /// Handles the result of a call that did not succeed. @throws Error protocol
  Wants wants_after(int result, const char* doing);
  void renew_key(std::size_t written);

  FileDescriptor socket_;
  const Credentials* credentials_;  ///< used until the end of the handshake
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
  std::size_t held_ = 0;           ///< bytes that OpenSSL has taken and that the caller will pass to `write_some` again
  std::size_t since_renewal_ = 0;  ///< bytes written under the current key
};

}  // namespace troupe
