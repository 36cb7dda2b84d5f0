#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

// Makes certificates and reads their content.
namespace troupe::net {

// Durations in seconds.
inline constexpr long kDay = 24 * 3600;
inline constexpr long kYear = 365 * kDay;
/// A certificate is valid from a day before the time when it is made, because the clocks of machines differ.
inline constexpr long kBackdate = kDay;

/// A certificate and the private key that belongs to it.
struct CertifiedKey {
  CertificatePtr certificate;
  KeyPtr key;
};

/// The content of a new certificate. `valid_from` and `valid_until` are in seconds from now.
struct CertificateText {
  std::string name;              ///< the subject's common name
  std::string alternative_name;  ///< URI in the subject alternative name, such as `role_name(Role::node)`; empty: none
  std::string usage = "serverAuth,clientAuth";  ///< extended key usage, in OpenSSL's notation
  long valid_from = -kBackdate;
  long valid_until = kYear;
};

/// Makes the key and self-signed certificate of an authority. The certificate may be used only to sign members'
/// certificates and revocation lists. Times are in seconds from now. @throws Error system
CertifiedKey make_authority(long valid_from = -kBackdate, long valid_until = kYear);
/// Makes a new key, and a certificate for it that `authority` signs. @throws Error system
CertifiedKey make_member(const CertifiedKey& authority, const CertificateText& text);

/// Return a certificate or a private key in PEM format. @throws Error system
std::string pem(X509* certificate);
std::string pem(EVP_PKEY* key);

}  // namespace troupe::net
