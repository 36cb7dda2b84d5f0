#pragma once

#include <openssl/types.h>

#include <cstddef>

#include "runtime/net/byte_stream.hpp"

namespace troupe::net {

/// Makes the BIO (OpenSSL's stream object) through which OpenSSL reads from and writes to a socket. The BIO works like
/// OpenSSL's own socket BIO, but a write to a broken connection raises no SIGPIPE. The BIO does not own the socket.
/// @throws Error system
BIO* make_socket_bio(int socket);

/// Gives the BIO a write buffer of `bytes` bytes. Later writes collect in the buffer, until the buffer is full or
/// `flush` is called. Flush requests of OpenSSL itself are ignored.
void buffer_writes(BIO* bio, std::size_t bytes);

/// Adds 1 to the BIO's count of TLS handshake messages that OpenSSL has received.
void count_message(BIO* bio);
/// Returns whether the peer has sent too many TLS handshake messages: more than 16, plus one for each 64 KiB of
/// received bytes. Once this is true, reads from the BIO fail, because a peer could keep a thread busy with endless
/// handshake messages.
bool talks_too_much(BIO* bio);

/// Sends the bytes in the BIO's write buffer, as many as the socket takes. Returns `nothing` if all bytes were sent,
/// `write` if the caller must wait until the socket is writable, or `closed` if the connection has ended.
ByteStream::Wants flush(BIO* bio);

}  // namespace troupe::net
