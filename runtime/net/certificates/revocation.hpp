#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/certificates/certificate.hpp"
#include "runtime/net/openssl.hpp"

// Functions on X.509 certificate revocation lists (RFC 5280, section 5), which the authority signs.
namespace troupe::net {

/// Reads a revocation list. Returns none if the file does not exist.
/// @throws Error bad_certificate that names the file: it does not contain exactly one list, or the list was not signed
/// by `authority`, has expired or is not valid yet
ListPtr read_list(const std::string& file, X509* authority);

/// Makes an empty list, without a signature, that expires when the authority expires. @throws Error system
ListPtr make_list(const CertifiedKey& authority);
/// Adds a certificate to the list. Returns false if the list already contains the certificate. @throws Error system
bool add_to_list(X509_CRL* list, X509* certificate);
/// Increases the list's number by one, and signs the list.
/// @param valid_from the start of its validity, in seconds from now
/// @throws Error system
void sign_list(X509_CRL* list, const CertifiedKey& authority, long valid_from = -kBackdate);
/// Returns the list in PEM format. @throws Error system
std::string pem(X509_CRL* list);

/// Makes TLS connections of `context` refuse a peer whose certificate is on `list` (null: no list), or had expired
/// before `since` (seconds since 1970). A certificate that expires later than `since` stays valid. A run passes the
/// time of its start, so that no peer is refused in the middle of the run because its certificate expires.
void check_peers(SSL_CTX* context, X509_CRL* list, std::int64_t since);

}  // namespace troupe::net
