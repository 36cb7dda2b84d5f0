#pragma once

#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe::net {

/// Reads an elliptic-curve private key from a PEM file without a password. Returns null if the key does not belong to
/// `certificate`. The key is stored only in OpenSSL's secure memory, which core dumps do not contain. The first call
/// sets up the secure memory, unless the program has already done this.
/// @throws Error bad_certificate that names the file, if the file is missing, contains no such key, or is readable by
/// others; system
KeyPtr read_key(const std::string& file, X509* certificate);

}  // namespace troupe::net
