#pragma once

#include <poll.h>

#include <future>
#include <optional>

#include "openssl_peer.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/net/tls/tls_stream.hpp"
#include "support/patience.hpp"
#include "trial_authority.hpp"

namespace troupe_test {

inline void limit_buffers(int socket, int bytes) {
  if (bytes == 0) return;
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

inline troupe::FileDescriptor next_of(int listener) {
  troupe::wait_for(listener, troupe::ByteStream::Wants::read, soon());
  return troupe::net::accept_from(listener);
}

/// Accepts the next connection as the driver and completes the handshake.
inline troupe::TlsStream serve(int listener, const troupe::Credentials& driver = *trial_authority().driver()) {
  using Wants = troupe::ByteStream::Wants;
  troupe::TlsStream stream(next_of(listener), driver);
  for (Wants wants = stream.accept_some(); wants != Wants::nothing; wants = stream.accept_some()) {
    if (wants == Wants::closed) throw std::runtime_error("it hung up instead of shaking hands");
    troupe::wait_for(stream.fd(), wants, soon());
  }
  return stream;
}

/// A connection between one of our streams and OpenSSL, after the handshake.
class Session {
 public:
  using Wants = troupe::ByteStream::Wants;

  /// @param buffers size of each socket's buffers in bytes; 0 for the system's default
  explicit Session(bool we_serve, int buffers = 0) {
    const troupe::FileDescriptor listener = troupe::net::listen_on({"127.0.0.1", 0});
    limit_buffers(listener.get(), buffers);
    const troupe::Address at = troupe::net::local_of(listener.get());
    auto shaken = std::async(std::launch::async, [&] {
      theirs_ = we_serve ? connect(at, buffers) : accept(listener.get());
      return theirs_->shake_hands(soon());
    });
    if (we_serve)
      ours_.emplace(serve(listener.get()));
    else
      ours_.emplace(troupe::TlsStream::dial(at, *node(), troupe::Role::driver, soon()));
    REQUIRE(shaken.get());
    limit_buffers(ours_->fd(), buffers);
  }

  troupe::TlsStream& ours() { return *ours_; }
  OpensslPeer& theirs() { return *theirs_; }
  void end_ours() { ours_.reset(); }

  void we_write(const Bytes& bytes, bool more = false) { ours_->write_all(bytes, soon(), more); }
  Bytes we_read(std::size_t bytes) {
    Bytes read(bytes);
    ours_->read_all(read, soon());
    return read;
  }
  void they_write(const Bytes& bytes) {
    theirs_->write(bytes);
    they_send();
  }
  void they_send() {
    while (!theirs_->send()) troupe::wait_for(theirs_->fd(), Wants::write, soon());
  }
  /// Reads this number of bytes at the OpenSSL side, or fewer if OpenSSL reaches an end.
  Bytes they_read(std::size_t bytes) {
    Bytes read = theirs_->read(bytes);
    while (read.size() < bytes && theirs_->error == SSL_ERROR_WANT_READ) {
      troupe::wait_for(theirs_->fd(), Wants::read, soon());
      theirs_->receive();
      read += theirs_->read(bytes - read.size());
    }
    return read;
  }
  /// Returns the first result of our reading that does not ask for a wait.
  troupe::ByteStream::Progress we_read_some(std::span<std::byte> into) {
    const troupe::Deadline deadline = soon();
    while (!deadline.passed()) {
      const auto progress = ours_->read_some(into);
      if (progress.bytes > 0 || progress.wants != Wants::read) return progress;
      troupe::wait_for(ours_->fd(), Wants::read, deadline);
    }
    throw std::runtime_error("reading never ends");
  }

 private:
  static const std::shared_ptr<const troupe::Credentials>& driver() {
    static const auto made = trial_authority().driver();
    return made;
  }
  static const std::shared_ptr<const troupe::Credentials>& node() {
    static const auto made = trial_authority().node(0);
    return made;
  }
  static std::unique_ptr<OpensslPeer> accept(int listener) {
    return std::make_unique<OpensslPeer>(next_of(listener), driver()->server(), true);
  }
  static std::unique_ptr<OpensslPeer> connect(const troupe::Address& to, int buffers) {
    troupe::FileDescriptor socket = troupe::net::connect_to(to, soon());
    limit_buffers(socket.get(), buffers);
    return std::make_unique<OpensslPeer>(std::move(socket), node()->client(), false);
  }
  std::unique_ptr<OpensslPeer> theirs_;
  std::optional<troupe::TlsStream> ours_;
};

/// Runs the test in both roles.
template <class Test>
void in_both_roles(Test test, int buffers = 0) {
  for (const bool we_serve : {false, true}) {
    CAPTURE(we_serve);
    Session session(we_serve, buffers);
    test(session);
  }
}

}  // namespace troupe_test
