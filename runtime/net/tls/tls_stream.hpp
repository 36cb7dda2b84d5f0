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

/// A TLS 1.3 connection, OpenSSL's, whose peer has shown a certificate of our authority. Non-blocking below; one thread
/// at a time.
class TlsStream : public ByteStream {
 public:
  /// Dials and shakes hands. @throws Error timeout; protocol when the peer is no TLS 1.3, has no certificate of our
  /// authority or does not have the role `peer`; worker_lost when it hangs up; system when nobody listens there. A peer
  /// that refuses our certificate says so only at the first read, as TLS 1.3 has it: Error protocol from `say_hello`.
  static TlsStream dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline);
  /// The server's side of a connection just accepted; nothing has been said yet: call `accept_some` until it wants
  /// nothing.
  TlsStream(FileDescriptor socket, const Credentials& credentials);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  /// Tells the peer that this is the end, if it can be told at once.
  ~TlsStream() override;

  /// Goes on with the handshake. @throws Error protocol
  Wants accept_some();
  Progress read_some(std::span<std::byte> into) override;
  Progress write_some(std::span<const std::byte> bytes, bool more = false) override;
  /// Whether bytes lie here that no poll of the socket sees: read until there is no more. They may be a part of a
  /// record only, of which nothing can be read yet.
  bool pending() const;
  /// From now on gives many records to the socket with one call.
  void send_in_bulk();
  /// From now on takes what the socket has with one call, some 16 KB at once, not each record with two. Such a stream
  /// must be read until it wants more before its socket is waited for.
  void read_ahead();
  /// The same, with room for many large records.
  void receive_in_bulk();

  int fd() const override { return socket_.get(); }
  /// Of the peer's certificate, once hands are shaken.
  const std::string& peer_name() const { return peer_name_; }
  Role peer_role() const { return peer_role_; }
  /// Such as "10.0.0.2:41234".
  std::string peer_address() const;
  /// Our end's, without a port.
  std::string local_host() const;

 private:
  TlsStream(FileDescriptor socket, const Credentials& credentials, SSL_CTX* context);
  void shake_hands(const Deadline& deadline);
  void note_peer();
  /// After a call that did not succeed. @throws Error protocol
  Wants wants_after(int result, const char* doing);
  void renew_key(std::size_t written);

  FileDescriptor socket_;
  const Credentials* credentials_;  ///< until hands are shaken
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string peer_name_;
  Role peer_role_ = Role::node;
  std::size_t held_ = 0;           ///< bytes that OpenSSL took and that will be given to `write_some` once more
  std::size_t since_renewal_ = 0;  ///< bytes written under the current key
};

}  // namespace troupe
