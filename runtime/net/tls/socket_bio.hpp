#pragma once

#include <openssl/types.h>

#include <cstddef>

#include "runtime/net/byte_stream.hpp"

namespace troupe::net {

/// Makes the BIO (OpenSSL's stream object) through which OpenSSL reads and writes a socket. It works like OpenSSL's own
/// socket BIO, but a write to a broken connection raises no SIGPIPE. The BIO does not own the socket. @throws Error
/// system
BIO* make_socket_bio(int socket);

/// Buffers all later writes in `bytes` bytes, until the buffer is full or `flush` is called. Flush requests of OpenSSL
/// itself are ignored.
void buffer_writes(BIO* bio, std::size_t bytes);

/// Counts one TLS handshake message that OpenSSL has received through the BIO.
void count_message(BIO* bio);
/// Returns whether the peer has sent more TLS handshake messages than are allowed for the number of received bytes. If
/// so, later reads fail, because endless handshake messages could keep a thread busy.
bool talks_too_much(BIO* bio);

/// Sends buffered bytes, as many as the socket takes. Returns `nothing` if all were sent, `write` if the socket must
/// become writable first, or `closed`.
ByteStream::Wants flush(BIO* bio);

}  // namespace troupe::net
