#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/certificates/certificate.hpp"
#include "runtime/net/openssl.hpp"

// X.509 certificate revocation lists (RFC 5280, section 5), signed by the authority.
namespace troupe::net {

/// Reads the list beside a certificate; returns none if the file does not exist.
/// @throws Error bad_certificate, naming the file, if it is not exactly one list, was not signed by `authority`, has
/// expired or is not valid yet
ListPtr read_list(const std::string& file, X509* authority);

/// Makes an empty list that is valid for as long as its authority. @throws Error system
ListPtr make_list(const CertifiedKey& authority);
/// Adds a certificate; returns false if the list already contains it. @throws Error system
bool add_to_list(X509_CRL* list, X509* certificate);
/// Numbers and signs the list as the authority's newest. @throws Error system
void sign_list(X509_CRL* list, const CertifiedKey& authority, long valid_from = -kBackdate);
std::string pem(X509_CRL* list);

/// Sets up checks of peers' certificates beyond their signatures. A certificate must not be on `list` (null for no
/// list), and must not have expired before `since`. A certificate that is valid when a run begins therefore stays valid
/// until the run ends.
void check_peers(SSL_CTX* context, X509_CRL* list, std::int64_t since);

}  // namespace troupe::net
