#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

// Making certificates and reading what they say.
namespace troupe::net {

inline constexpr long kDay = 24 * 3600;
inline constexpr long kYear = 365 * kDay;
/// Certificates count from this long before they are made, because clocks differ.
inline constexpr long kBackdate = kDay;

struct CertifiedKey {
  CertificatePtr certificate;
  KeyPtr key;
};

/// What a certificate is to say. Times are seconds from now.
struct CertificateText {
  std::string name;              ///< the subject's common name
  std::string alternative_name;  ///< such as `role_name(Role::node)`; empty for none
  std::string usage = "serverAuth,clientAuth";
  long valid_from = -kBackdate;
  long valid_until = kYear;
};

/// A self-signed authority that signs nothing but members and lists of revoked ones. @throws Error system
CertifiedKey make_authority(long valid_from = -kBackdate, long valid_until = kYear);
/// A new key and its certificate. @throws Error system
CertifiedKey make_member(const CertifiedKey& authority, const CertificateText& text);

std::string pem(X509* certificate);
std::string pem(EVP_PKEY* key);

}  // namespace troupe::net
