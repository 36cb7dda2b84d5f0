#include "runtime/net/tls_context.hpp"

#include "runtime/net/openssl.hpp"
#include "runtime/net/tls_handshake.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

constexpr long kLongestChain = 16 * 1024;  ///< bytes of certificates that a peer may make us hold

}  // namespace

std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()), &SSL_CTX_free);
  SSL_CTX* const tls = context.get();
  const bool made = tls != nullptr && SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) == 1 &&
                    SSL_CTX_set_max_proto_version(tls, TLS1_3_VERSION) == 1 &&
                    // The one that `RecordKey` speaks once hands are shaken.
                    SSL_CTX_set_ciphersuites(tls, "TLS_AES_128_GCM_SHA256") == 1 &&
                    SSL_CTX_set1_groups_list(tls, "X25519:P-256") == 1 &&
                    SSL_CTX_use_certificate(tls, certificate) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1 &&
                    X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), authority) == 1 &&
                    SSL_CTX_set_num_tickets(tls, 0) == 1;
  if (!made) throw Error(ErrorCode::system, "cannot set up TLS: " + openssl_error());
  SSL_CTX_set_options(
      tls, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  TlsHandshake::hear_secrets(tls);
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_verify_depth(tls, 1);
  SSL_CTX_set_max_cert_list(tls, kLongestChain);
  return context;
}

}  // namespace troupe::net
