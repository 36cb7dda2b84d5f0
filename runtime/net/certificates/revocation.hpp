#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/certificates/certificate.hpp"
#include "runtime/net/openssl.hpp"

// Lists of certificates that count no more: X.509's (RFC 5280, 5), signed by the authority.
namespace troupe::net {

/// The list beside a certificate; none when the file is not there. @throws Error bad_certificate naming a file that is
/// no list, or more than one, was not signed by `authority`, has expired or is not valid yet
ListPtr read_list(const std::string& file, X509* authority);

/// An empty list that counts as long as its authority. @throws Error system
ListPtr make_list(const CertifiedKey& authority);
/// Adds a certificate; false when it stands there already. @throws Error system
bool add_to_list(X509_CRL* list, X509* certificate);
/// Makes the list the authority's newest. @throws Error system
void sign_list(X509_CRL* list, const CertifiedKey& authority, long valid_from = -kBackdate);
std::string pem(X509_CRL* list);

/// What a peer's certificate must pass beyond its signature: it is not on `list` (null for none), and has not expired
/// before `since`: who was good when a run began stays so until it ends.
void check_peers(SSL_CTX* context, X509_CRL* list, std::int64_t since);

}  // namespace troupe::net
