#include "runtime/net/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "runtime/net/certificate.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/net/socket_bio.hpp"
#include "runtime/net/tls_error.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;
constexpr std::size_t kReadAhead = 128 * 1024;
/// AES-GCM is good for 2^24.5 full records under one key (RFC 8446, 5.5), which a training run sends in an hour.
constexpr std::size_t kBytesPerKey = std::size_t{64} << 30;

/// OpenSSL takes what is left in the queue for an error of the next call.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

TlsStream::TlsStream(FileDescriptor socket, SSL_CTX* context)
    : socket_(std::move(socket)), ssl_(SSL_new(context), &SSL_free) {
  if (!ssl_) throw Error(ErrorCode::system, "cannot set up TLS: " + net::openssl_error());
  BIO* const bio = net::make_socket_bio(socket_.get());
  SSL_set_bio(ssl_.get(), bio, bio);
}

TlsStream::TlsStream(FileDescriptor socket, const Credentials& credentials)
    : TlsStream(std::move(socket), credentials.server()) {
  SSL_set_accept_state(ssl_.get());
}

TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;

TlsStream::~TlsStream() {
  if (!ssl_ || SSL_is_init_finished(ssl_.get()) == 0) return;
  forget_errors();
  net::expect_more(SSL_get_wbio(ssl_.get()), false);
  SSL_shutdown(ssl_.get());
  forget_errors();
}

TlsStream TlsStream::dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline) {
  TlsStream stream(net::connect_to(to, deadline), credentials.client());
  SSL_set_connect_state(stream.ssl_.get());
  try {
    stream.shake_hands(deadline);
  } catch (const Error& error) {
    throw Error(error.code(), to.text() + ": " + error.message());
  }
  if (stream.peer_role() != peer)
    throw Error(ErrorCode::protocol, to.text() + " shows a " + to_string(stream.peer_role()) + "'s certificate (" +
                                         stream.peer_name() + "), and a " + to_string(peer) + "'s is needed");
  return stream;
}

void TlsStream::shake_hands(const Deadline& deadline) {
  for (;;) {
    const Progress progress = accept_some();
    if (progress.wants == Wants::nothing) return;
    if (progress.wants == Wants::closed) throw Error(ErrorCode::protocol, "it hung up instead of shaking hands");
    wait_for(fd(), progress.wants, deadline);
  }
}

TlsStream::Progress TlsStream::accept_some() {
  forget_errors();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) return outcome(result, "shake hands");
  note_peer();
  return {};
}

TlsStream::Progress TlsStream::read_some(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    std::size_t got = 0;
    forget_errors();
    const int result = SSL_read_ex(ssl_.get(), into.data() + done, into.size() - done, &got);
    if (result != 1) {
      Progress progress = outcome(result, "read");
      progress.bytes = done;
      return progress;
    }
    done += got;
  }
  return {done, Wants::nothing};
}

TlsStream::Progress TlsStream::write_some(std::span<const std::byte> bytes, bool more) {
  std::size_t done = 0;
  BIO* const bio = SSL_get_wbio(ssl_.get());
  while (done < bytes.size()) {
    std::size_t written = 0;
    net::expect_more(bio, more || bytes.size() - done > kRecord);
    forget_errors();
    const int result = SSL_write_ex(ssl_.get(), bytes.data() + done, bytes.size() - done, &written);
    if (result != 1) {
      Progress progress = outcome(result, "write");
      progress.bytes = done;
      return progress;
    }
    done += written;
    renew_key(written);
  }
  return {done, Wants::nothing};
}

void TlsStream::renew_key(std::size_t written) {
  since_renewal_ += written;
  if (since_renewal_ < kBytesPerKey) return;
  since_renewal_ = 0;
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
}

TlsStream::Progress TlsStream::outcome(int result, const char* doing) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {0, Wants::read};
    case SSL_ERROR_WANT_WRITE:
      return {0, Wants::write};
    case SSL_ERROR_ZERO_RETURN:
    case SSL_ERROR_SYSCALL:
      return {0, Wants::closed};
    default:
      throw Error(ErrorCode::protocol, net::tls_error(ssl_.get(), doing));
  }
}

void TlsStream::note_peer() {
  const net::CertificatePtr certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (!certificate) throw Error(ErrorCode::protocol, "it shows no certificate");
  const bool driver = net::has_role(certificate.get(), Role::driver);
  if (!driver && !net::has_role(certificate.get(), Role::node))
    throw Error(ErrorCode::protocol, "its certificate is neither a driver's nor a node's");
  peer_role_ = driver ? Role::driver : Role::node;
  peer_name_ = net::common_name(certificate.get());
  if (peer_name_.empty()) throw Error(ErrorCode::protocol, "its certificate names nobody");
}

std::size_t TlsStream::pending() const { return static_cast<std::size_t>(SSL_pending(ssl_.get())); }

void TlsStream::read_ahead() {
  // New buffers of that size, when the old ones hold nothing.
  SSL_set_default_read_buffer_len(ssl_.get(), kReadAhead);
  SSL_free_buffers(ssl_.get());
  SSL_set_read_ahead(ssl_.get(), 1);
}

std::string TlsStream::peer_address() const { return net::peer_of(fd()).text(); }
std::string TlsStream::local_host() const { return net::local_of(fd()).host; }

}  // namespace troupe
