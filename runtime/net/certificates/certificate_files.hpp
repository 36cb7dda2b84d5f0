#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/net/certificates/certificate.hpp"

// Certificates and keys in files.
namespace troupe::net {

/// @throws Error bad_certificate: "FILE WHAT; ADVICE".
[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& advice);

[[noreturn]] void refuse_missing(const std::string& file);

inline constexpr const char* kMakeAnew = "make it anew with `troupe certs`";

/// The bytes of a file. @throws Error bad_certificate naming it
std::string read_text(const std::string& file);
/// `text` as OpenSSL reads it, which must outlive it.
BioPtr bio_of(const std::string& text);

/// @throws Error bad_certificate naming the file.
CertificatePtr read_certificate(const std::string& file);
/// All certificates of a file, in order. @throws Error bad_certificate naming it
std::vector<CertificatePtr> read_certificates(const std::string& file);
/// A certificate and the key that belongs to it, also while both are being replaced by `troupe certs renew`.
/// @throws Error bad_certificate naming the file.
CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file);

/// Makes a folder that nobody else may enter. @throws Error system
void make_private_folder(const std::string& folder);
/// Nobody ever sees half a file, and it never has another mode. @throws Error system
void write_file(const std::string& file, const std::string& text, mode_t mode);
/// Likewise, with mode 0600. @throws Error system
void write_key(const std::string& file, EVP_PKEY* key);
/// Makes `folder` (mode 0700) with ca.pem, cert.pem and key.pem (mode 0600), replacing files that are there, each at
/// once and whole. @throws Error system
void write_member(const std::string& folder, X509* authority, const CertifiedKey& member);

}  // namespace troupe::net
