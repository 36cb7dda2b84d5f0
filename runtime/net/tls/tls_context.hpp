#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace troupe::net {

/// Makes a context for TLS 1.3 only. The peer must present a certificate of `authority`. Sessions cannot be resumed or
/// replayed.
/// @throws Error system
std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key);

/// Checks that a finished handshake has the properties that `make_context` requires. @throws Error protocol
void check_session(const SSL* ssl);

}  // namespace troupe::net
