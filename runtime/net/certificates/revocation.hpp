#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/certificates/certificate.hpp"
#include "runtime/net/openssl.hpp"

// This file declares functions on certificate revocation lists (X.509, RFC 5280, section 5). The authority signs each
// list.
namespace troupe::net {

/// Reads a revocation list. Returns null if the file does not exist.
/// @throws Error bad_certificate if the file does not contain exactly one list, or the list was not signed by
/// `authority`, has expired or is not valid yet. The message contains the file's name.
ListPtr read_list(const std::string& file, X509* authority);

/// Makes an empty revocation list without a signature. The list expires when the authority expires. @throws Error
/// system
ListPtr make_list(const CertifiedKey& authority);
/// Adds a certificate to a revocation list. Returns false if the list already contains the certificate. @throws Error
/// system
bool add_to_list(X509_CRL* list, X509* certificate);
/// Increases the sequence number of a revocation list by one, and signs the list with the key of `authority`.
/// @param valid_from the start of the list's validity, in seconds from the present
/// @throws Error system
void sign_list(X509_CRL* list, const CertifiedKey& authority, long valid_from = -kBackdate);
/// Returns the list in PEM format. @throws Error system
std::string pem(X509_CRL* list);

/// Configures `context`, so that its TLS connections refuse a peer whose certificate is on `list`, or had expired
/// before `since`. A certificate that expires after `since` stays valid, even when it has expired in the meantime. A
/// run passes the time of its start as `since`. So no peer is refused in the middle of the run because its certificate
/// expires.
/// @param list null: no certificate counts as revoked
/// @param since in seconds since 1970
void check_peers(SSL_CTX* context, X509_CRL* list, std::int64_t since);

}  // namespace troupe::net
