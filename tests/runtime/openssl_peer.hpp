#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "bytes.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/byte_stream.hpp"
#include "runtime/net/openssl.hpp"

namespace troupe_test {

/// The bytes that a TLS 1.3 record adds to its content: header, type and tag.
constexpr std::size_t kRecordOverhead = 5 + 1 + 16;

/// OpenSSL without Troupe at the other end of a connection. The test can change the bytes on their way to and from the
/// socket.
class OpensslPeer {
 public:
  using Hands = std::function<void(Bytes&)>;

  OpensslPeer(troupe::FileDescriptor socket, SSL_CTX* context, bool server)
      : socket_(std::move(socket)), ssl_(SSL_new(context)) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    // Otherwise OpenSSL takes any end for an orderly one.
    SSL_clear_options(ssl_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_clear_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
    SSL_set_mode(ssl_.get(), SSL_MODE_AUTO_RETRY);
    SSL_set_msg_callback(ssl_.get(), &note_message);
    SSL_set_msg_callback_arg(ssl_.get(), this);
    if (server)
      SSL_set_accept_state(ssl_.get());
    else
      SSL_set_connect_state(ssl_.get());
  }
  OpensslPeer(const OpensslPeer&) = delete;
  OpensslPeer& operator=(const OpensslPeer&) = delete;

  /// Returns whether the handshake succeeds.
  bool shake_hands(const troupe::Deadline& deadline) {
    for (;;) {
      const int result = SSL_do_handshake(ssl_.get());
      const int why = SSL_get_error(ssl_.get(), result);
      if (result == 1 && !first_words.empty()) write(first_words);
      while (!send()) troupe::wait_for(fd(), troupe::ByteStream::Wants::write, deadline);
      if (result == 1 || why != SSL_ERROR_WANT_READ) return result == 1;
      troupe::wait_for(fd(), troupe::ByteStream::Wants::read, deadline);
      receive();
    }
  }

  /// Encrypts the bytes. Call `send` afterwards.
  void write(std::span<const std::byte> bytes) {
    std::size_t written = 0;
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written) != 1 || written != bytes.size())
      throw std::runtime_error("OpenSSL cannot write");
  }
  /// Writes encrypted bytes to the socket, as many as it accepts. Returns whether that was all.
  bool send() {
    Bytes sealed(BIO_ctrl_pending(SSL_get_wbio(ssl_.get())));
    if (!sealed.empty()) BIO_read(SSL_get_wbio(ssl_.get()), sealed.data(), static_cast<int>(sealed.size()));
    if (on_sending && !sealed.empty()) on_sending(sealed);
    unsent_ += sealed;
    while (!unsent_.empty()) {
      const ssize_t sent = ::send(fd(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    }
    return true;
  }
  /// Passes the received bytes to OpenSSL and returns them.
  Bytes receive() {
    Bytes all;
    Bytes piece(64 * 1024);
    for (;;) {
      const ssize_t got = ::recv(fd(), piece.data(), piece.size(), 0);
      if (got == 0) BIO_set_mem_eof_return(SSL_get_rbio(ssl_.get()), 0);
      if (got <= 0) break;
      all.insert(all.end(), piece.begin(), piece.begin() + got);
      if (all.size() >= kMostAtOnce) break;
    }
    if (on_receiving && !all.empty()) on_receiving(all);
    if (!all.empty()) BIO_write(SSL_get_rbio(ssl_.get()), all.data(), static_cast<int>(all.size()));
    return all;
  }
  /// Returns at most `most` bytes that OpenSSL has decrypted. `error` tells why there are no more.
  Bytes read(std::size_t most) {
    Bytes bytes(most);
    std::size_t done = 0;
    while (done < most) {
      std::size_t got = 0;
      ERR_clear_error();
      const int result = SSL_read_ex(ssl_.get(), bytes.data() + done, most - done, &got);
      error = SSL_get_error(ssl_.get(), result);
      if (result != 1) {
        reason = ERR_GET_REASON(ERR_peek_error());
        break;
      }
      done += got;
    }
    bytes.resize(done);
    return bytes;
  }

  SSL* ssl() const { return ssl_.get(); }
  int fd() const { return socket_.get(); }
  /// The number of key updates that we sent.
  int key_updates() const { return key_updates_; }
  void hang_up() { socket_.reset(); }

  Bytes first_words;  ///< sent together with the end of the handshake
  Hands on_sending;
  Hands on_receiving;
  int error = SSL_ERROR_NONE;
  int reason = 0;

 private:
  static constexpr std::size_t kMostAtOnce = 1 << 20;

  static void note_message(int sent, int, int type, const void* bytes, std::size_t size, SSL*, void* peer) {
    const bool update = type == SSL3_RT_HANDSHAKE && size > 0 && *static_cast<const char*>(bytes) == SSL3_MT_KEY_UPDATE;
    if (sent == 0 && update) ++static_cast<OpensslPeer*>(peer)->key_updates_;
  }

  troupe::FileDescriptor socket_;
  std::unique_ptr<SSL, troupe::net::Free<&SSL_free>> ssl_;
  Bytes unsent_;
  int key_updates_ = 0;
};

}  // namespace troupe_test
