#include "runtime/net/tls/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "runtime/net/certificates/role.hpp"
#include "runtime/net/openssl.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/net/tls/socket_bio.hpp"
#include "runtime/net/tls/tls_context.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Sizes, in bytes, of the buffers for TLS records that one system call writes or reads. The buffers fit into the
/// second-level cache of one core.
constexpr std::size_t kBulkToSend = 256 * 1024;
constexpr std::size_t kBulkToReceive = 128 * 1024;
/// The number of bytes after which the key of a direction is replaced, which takes some microseconds. One AES-GCM key
/// is safe for 2^24.5 full records (RFC 8446, section 5.5). A training run can send more records in an hour, and
/// OpenSSL does not count them.
constexpr std::size_t kBytesPerKey = std::size_t{64} << 20;

/// The maximum length of a common name in bytes: RFC 5280 allows 64 characters, and a character may have four bytes.
constexpr std::size_t kLongestName = 256;

/// Empties this thread's OpenSSL error queue. Must be called before each OpenSSL call, because OpenSSL would otherwise
/// report an old entry as the error of that call.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

/// Returns a text for a TLS alert (RFC 8446, section 6) that the peer has sent.
std::string alert_text(int alert) {
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_DECRYPT_ERROR:
      return "it refuses our certificate";
    case SSL_AD_CERTIFICATE_REVOKED:
      return "it refuses our certificate, which is revoked";
    case SSL_AD_PROTOCOL_VERSION:
      return "it does not speak TLS 1.3";
    default:
      return std::string("it ended the connection with an alert: ") + SSL_alert_desc_string_long(alert);
  }
}

/// Returns a text for the error of the last OpenSSL call, such as "it sent no certificate". Empties this thread's
/// OpenSSL error queue.
/// @param doing the operation of the call, such as "read"
std::string tls_error(const SSL* ssl, const char* doing) {
  const unsigned long code = ERR_peek_error();
  const int reason = ERR_GET_REASON(code);
  const char* const text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  std::string fallback = std::string("TLS cannot ") + doing + ": " + (text != nullptr ? text : "unknown error");
  ERR_clear_error();
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return fallback;
  if (reason > SSL_AD_REASON_OFFSET) return alert_text(reason - SSL_AD_REASON_OFFSET);
  switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it sent no certificate";
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return std::string("its certificate is invalid: ") + X509_verify_cert_error_string(SSL_get_verify_result(ssl));
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
      return "one of its TLS records was changed in transit";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
      return "it does not speak TLS 1.3";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_LENGTH_TOO_SHORT:
    case SSL_R_BAD_RECORD_TYPE:
      return "it does not speak TLS";
    default:
      return fallback;
  }
}

void note_message(int written, int /*version*/, int type, const void* /*message*/, std::size_t /*size*/, SSL* ssl,
                  void* /*nothing*/) {
  if (written == 0 && type == SSL3_RT_HANDSHAKE) net::count_message(SSL_get_rbio(ssl));
}

}  // namespace

TlsStream::TlsStream(FileDescriptor socket, const Credentials& credentials, SSL_CTX* context)
    : socket_(std::move(socket)), credentials_(&credentials), ssl_(SSL_new(context), &SSL_free) {
  if (!ssl_) throw Error(ErrorCode::system, "cannot set up TLS: " + net::openssl_error());
  BIO* const bio = net::make_socket_bio(socket_.get());
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_msg_callback(ssl_.get(), &note_message);
}

TlsStream::TlsStream(FileDescriptor socket, const Credentials& credentials)
    : TlsStream(std::move(socket), credentials, credentials.server()) {
  SSL_set_accept_state(ssl_.get());
}

TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;

TlsStream::~TlsStream() {
  if (!ssl_ || SSL_is_init_finished(ssl_.get()) == 0) return;
  forget_errors();
  SSL_shutdown(ssl_.get());
  net::flush(SSL_get_wbio(ssl_.get()));
  forget_errors();
}

TlsStream TlsStream::dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline) {
  TlsStream stream(net::connect_to(to, deadline), credentials, credentials.client());
  SSL_set_connect_state(stream.ssl_.get());
  try {
    stream.shake_hands(deadline);
  } catch (const Error& error) {
    throw Error(error.code(), to.text() + ": " + error.message());
  }
  if (stream.peer_role() != peer)
    throw Error(ErrorCode::protocol, to.text() + " has a " + to_string(stream.peer_role()) + "'s certificate (" +
                                         stream.peer_name() + "), but a " + to_string(peer) + "'s is needed");
  return stream;
}

void TlsStream::shake_hands(const Deadline& deadline) {
  for (;;) {
    const Wants wants = accept_some();
    if (wants == Wants::nothing) return;
    if (wants == Wants::closed) throw Error(ErrorCode::worker_lost, "it closed the connection during the handshake");
    wait_for(fd(), wants, deadline);
  }
}

ByteStream::Wants TlsStream::accept_some() {
  forget_errors();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) return wants_after(result, "complete the handshake");
  net::check_session(ssl_.get());
  note_peer();
  return Wants::nothing;
}

void TlsStream::note_peer() {
  const net::CertificatePtr certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (!certificate) throw Error(ErrorCode::protocol, "it sent no certificate");
  const bool driver = net::has_role(certificate.get(), Role::driver);
  if (!driver && !net::has_role(certificate.get(), Role::node))
    throw Error(ErrorCode::protocol, "its certificate is neither a driver's nor a node's");
  peer_role_ = driver ? Role::driver : Role::node;
  peer_name_ = net::common_name(certificate.get());
  if (peer_name_.empty()) throw Error(ErrorCode::protocol, "its certificate has no common name");
  if (!is_printable(peer_name_, kLongestName))
    throw Error(ErrorCode::protocol, "the name in its certificate is not plain text");
  credentials_->check_peer(peer_role_, peer_name_);
}

TlsStream::Progress TlsStream::read_some(std::span<std::byte> into) {
  for (std::size_t done = 0;;) {
    if (done == into.size()) return {done, Wants::nothing};
    std::size_t got = 0;
    forget_errors();
    const int result = SSL_read_ex(ssl_.get(), into.data() + done, into.size() - done, &got);
    if (result != 1) return {done, wants_after(result, "read")};
    done += got;
  }
}

TlsStream::Progress TlsStream::write_some(std::span<const std::byte> bytes, bool more) {
  while (held_ < bytes.size()) {
    std::size_t written = 0;
    forget_errors();
    const int result = SSL_write_ex(ssl_.get(), bytes.data() + held_, bytes.size() - held_, &written);
    if (result != 1) return {0, wants_after(result, "write")};
    held_ += written;
    renew_key(written);
  }
  const Wants wants = more ? Wants::nothing : net::flush(SSL_get_wbio(ssl_.get()));
  if (wants != Wants::nothing) return {0, wants};
  held_ = 0;
  return {bytes.size(), Wants::nothing};
}

void TlsStream::renew_key(std::size_t written) {
  since_renewal_ += written;
  if (since_renewal_ < kBytesPerKey) return;
  since_renewal_ = 0;
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
}

ByteStream::Wants TlsStream::wants_after(int result, const char* doing) {
  if (net::talks_too_much(SSL_get_rbio(ssl_.get())))
    throw Error(ErrorCode::protocol, "it sends too many TLS handshake messages");
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Wants::read;
    case SSL_ERROR_WANT_WRITE:
      return Wants::write;
    case SSL_ERROR_ZERO_RETURN:
    case SSL_ERROR_SYSCALL:
      return Wants::closed;
    default:
      throw Error(ErrorCode::protocol, tls_error(ssl_.get(), doing));
  }
}

bool TlsStream::pending() const {
  // OpenSSL 3.5 counts the peer's close notification as pending.
  const bool ended = (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  return !ended && SSL_has_pending(ssl_.get()) > 0;
}

void TlsStream::send_in_bulk() { net::buffer_writes(SSL_get_wbio(ssl_.get()), kBulkToSend); }

void TlsStream::read_ahead() { SSL_set_read_ahead(ssl_.get(), 1); }

void TlsStream::receive_in_bulk() {
  // Frees the current read buffer, so that OpenSSL allocates a larger buffer for the next read. OpenSSL frees the
  // buffer only while it is empty.
  SSL_set_default_read_buffer_len(ssl_.get(), kBulkToReceive);
  SSL_free_buffers(ssl_.get());
  read_ahead();
}

std::string TlsStream::peer_address() const { return net::peer_of(fd()).text(); }
std::string TlsStream::local_host() const { return net::local_of(fd()).host; }

}  // namespace troupe
