#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/net/certificates/certificate.hpp"

// This file declares functions that read and write files with certificates and keys.
namespace troupe::net {

/// Throws Error bad_certificate with the message "FILE WHAT; ADVICE", made from the three arguments.
[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& advice);

/// Throws Error bad_certificate for a file that is missing or cannot be read.
[[noreturn]] void refuse_missing(const std::string& file);

/// A text for the parameter `advice` of `refuse`.
inline constexpr const char* kMakeAnew = "make a new one with `troupe certs`";

/// Returns the content of a file of at most 16 MiB. @throws Error bad_certificate that names the file
std::string read_text(const std::string& file);
/// Returns a memory BIO from which OpenSSL reads `text`. The text must outlive the BIO.
BioPtr bio_of(const std::string& text);

/// Reads the first certificate of a file. @throws Error bad_certificate that names the file
CertificatePtr read_certificate(const std::string& file);
/// Reads all certificates of a file, in order. @throws Error bad_certificate that names the file
std::vector<CertificatePtr> read_certificates(const std::string& file);
/// Reads a certificate and its private key. If the key does not belong to the certificate, reads both files up to nine
/// more times. `troupe certs renew` may be replacing the files at this moment.
/// @throws Error bad_certificate that names the file
CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file);

/// Makes a folder, and its missing parent folders. Sets the mode of the folder to 0700, so that only its owner may
/// enter the folder.
/// @throws Error system
void make_private_folder(const std::string& folder);
/// Replaces or creates a file with the content `text` atomically. The new file never has more permissions than `mode`,
/// so other users can never read a secret. @throws Error system
void write_file(const std::string& file, const std::string& text, mode_t mode);
/// Replaces or creates a file with a private key atomically, with mode 0600. @throws Error system
void write_key(const std::string& file, EVP_PKEY* key);
/// Writes the credentials of a member to `folder`: ca.pem and cert.pem (mode 0644), and key.pem (mode 0600). Makes the
/// folder (mode 0700) if it is missing. Replaces each existing file atomically. @throws Error system
void write_member(const std::string& folder, X509* authority, const CertifiedKey& member);

}  // namespace troupe::net
