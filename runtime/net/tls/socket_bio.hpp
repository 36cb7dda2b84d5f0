#pragma once

#include <openssl/types.h>

#include <cstddef>

#include "runtime/net/byte_stream.hpp"

namespace troupe::net {

/// What OpenSSL reads from and writes to: the socket itself, as its own does, but a broken connection raises no
/// SIGPIPE. Does not own the socket. @throws Error system
BIO* make_socket_bio(int socket);

/// From now on writes wait in a buffer until that is full or `flush` is called, whatever OpenSSL asks for.
void buffer_writes(BIO* bio, std::size_t bytes);

/// OpenSSL has got a message of TLS itself.
void count_message(BIO* bio);
/// Whether those were more than any peer has to say for so many bytes. Nothing is read from then on.
bool talks_too_much(BIO* bio);

/// Sends what waits, as far as the socket takes it.
ByteStream::Wants flush(BIO* bio);

}  // namespace troupe::net
