#include "runtime/net/tls/tls_context.hpp"

#include <string_view>

#include "runtime/net/openssl.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

constexpr long kLongestChain = 16 * 1024;  ///< maximum bytes of a peer's certificates
constexpr const char* kSuite = "TLS_AES_128_GCM_SHA256";

void require(bool good, const char* otherwise) {
  if (!good) throw Error(ErrorCode::protocol, otherwise);
}

}  // namespace

std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()), &SSL_CTX_free);
  SSL_CTX* const tls = context.get();
  const bool made = tls != nullptr && SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) == 1 &&
                    SSL_CTX_set_max_proto_version(tls, TLS1_3_VERSION) == 1 &&
                    SSL_CTX_set_ciphersuites(tls, kSuite) == 1 && SSL_CTX_set1_groups_list(tls, "X25519:P-256") == 1 &&
                    SSL_CTX_use_certificate(tls, certificate) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1 &&
                    X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), authority) == 1 &&
                    SSL_CTX_set_num_tickets(tls, 0) == 1;
  if (!made) throw Error(ErrorCode::system, "cannot set up TLS: " + openssl_error());
  SSL_CTX_set_options(
      tls, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  // Allows a write to send only a part of its bytes. The caller may pass the remaining bytes at another address in the
  // next write.
  SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // With AUTO_RETRY, one read would process any number of TLS handshake messages, so a peer could keep the thread from
  // other connections. Without it, a read ends after a handshake message (or, with read-ahead, after the messages in
  // the buffer). The BIO counts the messages and limits their number.
  SSL_CTX_clear_mode(tls, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_verify_depth(tls, 1);
  SSL_CTX_set_max_cert_list(tls, kLongestChain);
  return context;
}

void check_session(const SSL* ssl) {
  require(SSL_version(ssl) == TLS1_3_VERSION, "it does not speak TLS 1.3");
  require(std::string_view(SSL_get_cipher_name(ssl)) == kSuite, "it does not use AES-128-GCM");
  require(SSL_session_reused(ssl) == 0, "it resumes an earlier session");
  require(SSL_get_verify_result(ssl) == X509_V_OK, "its certificate is invalid");
  // SSL_has_pending detects data that the peer sent before the end of the handshake. Read-ahead must be off during the
  // handshake, because OpenSSL 3.2 and later do not report bytes that were read ahead before a change of keys.
  require(SSL_get_read_ahead(ssl) == 0 && SSL_has_pending(ssl) == 0, "it sent data before the end of the handshake");
}

}  // namespace troupe::net
