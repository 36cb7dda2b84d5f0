#include "runtime/net/tls_handshake.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "runtime/net/certificate.hpp"
#include "runtime/net/socket_bio.hpp"
#include "runtime/net/tls_error.hpp"
#include "troupe/error.hpp"

namespace troupe::net {

struct TlsHandshake::Secrets {
  std::optional<TrafficSecret> client;
  std::optional<TrafficSecret> server;
};

namespace {

using SecretBytes = std::array<std::byte, TrafficSecret::kBytes>;

/// Of "LABEL RANDOM SECRET", the line that OpenSSL writes for a file of keys, the secret.
std::optional<TrafficSecret> secret_of(const char* line) {
  const char* const digits = std::strrchr(line, ' ');
  SecretBytes bytes{};
  std::size_t size = 0;
  const bool whole = digits != nullptr &&
                     OPENSSL_hexstr2buf_ex(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), &size,
                                           digits + 1, '\0') == 1 &&
                     size == bytes.size();
  std::optional<TrafficSecret> secret;
  if (whole) secret.emplace(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return secret;
}

const TrafficSecret& told(const std::optional<TrafficSecret>& secret) {
  if (!secret) throw Error(ErrorCode::system, "OpenSSL does not tell the secrets of a connection");
  return *secret;
}

}  // namespace

void TlsHandshake::hear_secrets(SSL_CTX* context) {
  SSL_CTX_set_keylog_callback(context, [](const SSL* ssl, const char* text) {
    const std::string_view line(text);
    auto* const secrets = static_cast<Secrets*>(SSL_get_app_data(ssl));
    if (secrets == nullptr) return;
    if (line.starts_with("CLIENT_TRAFFIC_SECRET_0 ")) secrets->client = secret_of(text);
    if (line.starts_with("SERVER_TRAFFIC_SECRET_0 ")) secrets->server = secret_of(text);
  });
}

TlsHandshake::TlsHandshake(int socket, const Credentials& credentials, bool server)
    : server_(server),
      credentials_(credentials),
      secrets_(std::make_unique<Secrets>()),
      ssl_(SSL_new(server ? credentials.server() : credentials.client()), &SSL_free) {
  if (!ssl_) throw Error(ErrorCode::system, "cannot set up TLS: " + openssl_error());
  SSL_set_app_data(ssl_.get(), secrets_.get());
  BIO* const bio = make_socket_bio(socket);
  SSL_set_bio(ssl_.get(), bio, bio);
  if (server)
    SSL_set_accept_state(ssl_.get());
  else
    SSL_set_connect_state(ssl_.get());
}

TlsHandshake::~TlsHandshake() = default;

ByteStream::Wants TlsHandshake::go_on() {
  // OpenSSL takes what is left in the queue for an error of the next call.
  if (ERR_peek_error() != 0) ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    note_peer();
    return ByteStream::Wants::nothing;
  }
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return ByteStream::Wants::read;
    case SSL_ERROR_WANT_WRITE:
      return ByteStream::Wants::write;
    case SSL_ERROR_ZERO_RETURN:
    case SSL_ERROR_SYSCALL:
      return ByteStream::Wants::closed;
    default:
      throw Error(ErrorCode::protocol, tls_error(ssl_.get(), "shake hands"));
  }
}

void TlsHandshake::note_peer() {
  const CertificatePtr certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (!certificate) throw Error(ErrorCode::protocol, "it shows no certificate");
  const bool driver = has_role(certificate.get(), Role::driver);
  if (!driver && !has_role(certificate.get(), Role::node))
    throw Error(ErrorCode::protocol, "its certificate is neither a driver's nor a node's");
  peer_role_ = driver ? Role::driver : Role::node;
  peer_name_ = common_name(certificate.get());
  if (peer_name_.empty()) throw Error(ErrorCode::protocol, "its certificate names nobody");
  credentials_.check_peer(peer_role_, peer_name_);
}

TrafficSecret TlsHandshake::sending() const { return told(server_ ? secrets_->server : secrets_->client); }

TrafficSecret TlsHandshake::receiving() const { return told(server_ ? secrets_->client : secrets_->server); }

}  // namespace troupe::net
