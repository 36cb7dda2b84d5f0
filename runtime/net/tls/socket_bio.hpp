#pragma once

#include <openssl/types.h>

#include <cstddef>

#include "runtime/net/byte_stream.hpp"

namespace troupe::net {

/// Returns the BIO through which OpenSSL uses the socket. Like OpenSSL's own, but a broken connection raises no
/// SIGPIPE. Does not own the socket. @throws Error system
BIO* make_socket_bio(int socket);

/// Buffers all further writes until the buffer is full or `flush` is called, even if OpenSSL asks for a flush.
void buffer_writes(BIO* bio, std::size_t bytes);

/// Counts a TLS handshake message that OpenSSL has received.
void count_message(BIO* bio);
/// Returns whether the peer has sent more of these messages than the received bytes justify. From then on reads fail.
bool talks_too_much(BIO* bio);

/// Sends buffered bytes, as many as the socket takes.
ByteStream::Wants flush(BIO* bio);

}  // namespace troupe::net
