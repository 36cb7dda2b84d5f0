#pragma once

#include <string>

#include "runtime/net/certificate.hpp"

// Certificates and keys in files.
namespace troupe::net {

/// @throws Error bad_certificate naming the file.
CertificatePtr read_certificate(const std::string& file);
/// A certificate and the key that belongs to it. @throws Error bad_certificate naming the file.
CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file);

/// Makes `folder` (mode 0700) with ca.pem, cert.pem and key.pem (mode 0600), replacing files that are there, each at
/// once and whole. @throws Error system
void write_member(const std::string& folder, X509* authority, const CertifiedKey& member);

}  // namespace troupe::net
