#pragma once

#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe::net {

/// Reads an elliptic-curve private key from a PEM file without a password. Returns none if the key does not belong to
/// `certificate`. The key's bytes are only stored in OpenSSL's secure memory, which core dumps do not contain. If the
/// process has no such memory, it is set up on first use.
/// @throws Error bad_certificate naming the file: missing, not such a key, or readable by others; system
KeyPtr read_key(const std::string& file, X509* certificate);

}  // namespace troupe::net
