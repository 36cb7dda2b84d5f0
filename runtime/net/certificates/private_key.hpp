#pragma once

#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe::net {

/// The private key, on an elliptic curve, that a PEM file without a password holds; none when it is not that of
/// `certificate`. Its bytes are only ever in OpenSSL's secure memory, which no core dump has and which is made for this
/// purpose where the process has none.
/// @throws Error bad_certificate naming the file: missing, no such key, or readable by others; system
KeyPtr read_key(const std::string& file, X509* certificate);

}  // namespace troupe::net
