#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

// Makes certificates and reads their content.
namespace troupe::net {

inline constexpr long kDay = 24 * 3600;
inline constexpr long kYear = 365 * kDay;
/// Certificates are valid from this long before they are made, because clocks differ between machines.
inline constexpr long kBackdate = kDay;

struct CertifiedKey {
  CertificatePtr certificate;
  KeyPtr key;
};

/// The content of a new certificate. Times are in seconds from now.
struct CertificateText {
  std::string name;              ///< the subject's common name
  std::string alternative_name;  ///< such as `role_name(Role::node)`; empty for none
  std::string usage = "serverAuth,clientAuth";
  long valid_from = -kBackdate;
  long valid_until = kYear;
};

/// Makes a self-signed authority that may only sign members' certificates and revocation lists. @throws Error system
CertifiedKey make_authority(long valid_from = -kBackdate, long valid_until = kYear);
/// Makes a new key and its certificate. @throws Error system
CertifiedKey make_member(const CertifiedKey& authority, const CertificateText& text);

std::string pem(X509* certificate);
std::string pem(EVP_PKEY* key);

}  // namespace troupe::net
