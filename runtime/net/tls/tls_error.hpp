#pragma once

#include <openssl/types.h>

#include <string>

namespace troupe::net {

/// What is wrong with the peer, in words such as "it shows no certificate". Empties this thread's queue of errors.
std::string tls_error(const SSL* ssl, const char* doing);

}  // namespace troupe::net
