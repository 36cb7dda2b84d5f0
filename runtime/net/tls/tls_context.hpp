#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace troupe::net {

/// TLS 1.3 and nothing else; the peer must show a certificate of `authority`; nothing can be resumed or replayed.
/// @throws Error system
std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key);

/// Whether what a handshake led to is what `make_context` lays down. @throws Error protocol
void check_session(const SSL* ssl);

}  // namespace troupe::net
