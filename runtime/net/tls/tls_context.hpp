#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace troupe::net {

/// Makes an OpenSSL context for TLS 1.3 only, in which the peer must present a certificate of `authority`. Sessions
/// cannot be resumed or replayed.
/// @param server true for the side that accepts connections
/// @param certificate,key this process's own certificate, and the key that belongs to it
/// @throws Error system
std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key);

/// Checks that a connection after its handshake has the properties that `make_context` requires. @throws Error protocol
void check_session(const SSL* ssl);

}  // namespace troupe::net
