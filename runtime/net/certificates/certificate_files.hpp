#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/net/certificates/certificate.hpp"

// Certificates and keys in files.
namespace troupe::net {

/// Throws Error bad_certificate with the message "FILE WHAT; ADVICE".
[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& advice);

[[noreturn]] void refuse_missing(const std::string& file);

inline constexpr const char* kMakeAnew = "make a new one with `troupe certs`";

/// Returns the content of a file. @throws Error bad_certificate naming the file
std::string read_text(const std::string& file);
/// Returns an OpenSSL reader of `text`, which must outlive it.
BioPtr bio_of(const std::string& text);

/// @throws Error bad_certificate naming the file.
CertificatePtr read_certificate(const std::string& file);
/// Reads all certificates of a file, in order. @throws Error bad_certificate naming the file
std::vector<CertificatePtr> read_certificates(const std::string& file);
/// Reads a certificate and its key. Retries if they do not match, because `troupe certs renew` may be replacing them.
/// @throws Error bad_certificate naming the file.
CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file);

/// Makes a folder that only its owner may enter. @throws Error system
void make_private_folder(const std::string& folder);
/// Writes a file atomically; the file never has another mode. @throws Error system
void write_file(const std::string& file, const std::string& text, mode_t mode);
/// Writes a key in the same way, with mode 0600. @throws Error system
void write_key(const std::string& file, EVP_PKEY* key);
/// Makes `folder` (mode 0700) with ca.pem, cert.pem and key.pem (mode 0600). Replaces each existing file atomically.
/// @throws Error system
void write_member(const std::string& folder, X509* authority, const CertifiedKey& member);

}  // namespace troupe::net
