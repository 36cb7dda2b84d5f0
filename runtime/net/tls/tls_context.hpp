#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace troupe::net {

/// Makes an OpenSSL context that allows only TLS 1.3, and requires the peer to have a certificate that `authority` has
/// signed. Sessions cannot be resumed or replayed.
/// @param server true: the context is for the side that accepts connections; false: for the side that opens them
/// @param certificate,key this process's own certificate, and the key that belongs to it
/// @throws Error system
std::shared_ptr<SSL_CTX> make_context(bool server, X509* authority, X509* certificate, EVP_PKEY* key);

/// Checks, after the handshake of a connection, that the connection has the properties that `make_context` requires.
/// @throws Error protocol
void check_session(const SSL* ssl);

}  // namespace troupe::net
