#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

// This file declares functions that make certificates and keys of an authority and its members.
namespace troupe::net {

// Durations in seconds.
inline constexpr long kDay = 24 * 3600;
inline constexpr long kYear = 365 * kDay;
/// The validity of a new certificate begins this many seconds (a day) before the present, because the clock of another
/// machine may be slow.
inline constexpr long kBackdate = kDay;

/// A certificate and the private key that belongs to it.
struct CertifiedKey {
  CertificatePtr certificate;
  KeyPtr key;
};

/// The content of a new certificate. `valid_from` and `valid_until` are in seconds from the present; negative numbers
/// are in the past.
struct CertificateText {
  std::string name;  ///< the subject's common name
  /// URI in the extension "subject alternative name", such as `role_name(Role::node)`; empty: no such extension.
  std::string alternative_name;
  std::string usage = "serverAuth,clientAuth";  ///< extended key usage, in OpenSSL's notation
  long valid_from = -kBackdate;
  long valid_until = kYear;
};

/// Makes the key and the self-signed certificate of an authority. The certificate may be used only to sign members'
/// certificates and revocation lists. `valid_from` and `valid_until` are in seconds from the present.
/// @throws Error system
CertifiedKey make_authority(long valid_from = -kBackdate, long valid_until = kYear);
/// Makes a new key, and a certificate for this key with the content `text`, which `authority` signs. @throws Error
/// system
CertifiedKey make_member(const CertifiedKey& authority, const CertificateText& text);

/// Return a certificate or a private key in PEM format. @throws Error system
std::string pem(X509* certificate);
std::string pem(EVP_PKEY* key);

}  // namespace troupe::net
