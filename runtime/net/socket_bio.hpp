#pragma once

#include <openssl/types.h>

namespace troupe::net {

/// What OpenSSL reads from and writes to: the socket itself, as its own does, but a broken connection raises no
/// SIGPIPE, and packets can be told to wait for what follows. Does not own the socket. @throws Error system
BIO* make_socket_bio(int socket);
/// Whether what is written next is followed by more at once.
void expect_more(BIO* bio, bool more);

}  // namespace troupe::net
