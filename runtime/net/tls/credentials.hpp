#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "runtime/net/certificates/role.hpp"

namespace troupe {

/// A verified certificate with its key and the authority that both sides must share.
class Credentials {
 public:
  /// Reads `ca.pem`, `cert.pem` and `key.pem` of a folder, and `crl.pem` if it exists, and verifies them as a peer
  /// would. Peers whose certificates are on that list are refused. Without the list, no certificate counts as revoked.
  /// @param driver the name that a driver's certificate must have; empty for any
  /// @throws Error bad_certificate: a file is missing or not PEM; the certificate has expired, is not valid yet, is
  /// revoked, was not signed by the authority, does not match the key or has another role; the key is readable by
  /// others; the list was not signed by the authority or has expired.
  Credentials(const std::string& folder, Role role, std::string driver = {});
  ~Credentials();

  Role role() const { return role_; }
  /// The subject's common name, such as a node's name.
  const std::string& name() const { return name_; }
  /// @throws Error protocol if the peer is a driver with another name than the required one
  void check_peer(Role role, const std::string& name) const;
  /// Contexts for TLS 1.3 only, with mutual certificates of this authority.
  SSL_CTX* server() const { return server_.get(); }
  SSL_CTX* client() const { return client_.get(); }

 private:
  Role role_;
  std::string driver_;
  std::string name_;
  std::shared_ptr<SSL_CTX> server_;
  std::shared_ptr<SSL_CTX> client_;
};

/// Returns the role in a folder's certificate, without verifying the certificate. @throws Error bad_certificate
Role role_of(const std::string& folder);

}  // namespace troupe
