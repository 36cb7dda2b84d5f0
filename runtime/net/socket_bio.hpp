#pragma once

#include <openssl/types.h>

namespace troupe::net {

/// What OpenSSL reads from and writes to: the socket itself, as its own does, but a broken connection raises no
/// SIGPIPE. Does not own the socket. @throws Error system
BIO* make_socket_bio(int socket);

}  // namespace troupe::net
