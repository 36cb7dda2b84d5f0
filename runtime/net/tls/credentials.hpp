#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "runtime/net/certificates/role.hpp"

namespace troupe {

/// A verified certificate with its private key, and the authority that must also have signed the peer's certificate.
class Credentials {
 public:
  /// Reads `ca.pem`, `cert.pem` and `key.pem` of a folder, and the revocation list `crl.pem` if it exists. Verifies the
  /// certificate as a peer would. Peers whose certificates are on the list will be refused; without a list, no
  /// certificate counts as revoked.
  /// @param role the role that the certificate must grant
  /// @param driver the common name that a driver's certificate must have; empty: any name
  /// @throws Error bad_certificate in these cases. A file is missing or not PEM. The certificate has expired, is not
  /// valid yet, is revoked, was not signed by the authority, does not match the key or has another role. The key is
  /// readable by others. The list was not signed by the authority or has expired.
  Credentials(const std::string& folder, Role role, std::string driver = {});
  ~Credentials();

  Role role() const { return role_; }
  /// Returns the common name in the certificate, such as a node's name.
  const std::string& name() const { return name_; }
  /// Checks the name of a peer. @throws Error protocol if the peer is a driver with another name than the required one
  void check_peer(Role role, const std::string& name) const;
  /// Return the OpenSSL contexts for the two sides of a connection. They allow TLS 1.3 only, and require peers to have
  /// a certificate of this authority.
  SSL_CTX* server() const { return server_.get(); }
  SSL_CTX* client() const { return client_.get(); }

 private:
  Role role_;
  std::string driver_;
  std::string name_;
  std::shared_ptr<SSL_CTX> server_;
  std::shared_ptr<SSL_CTX> client_;
};

/// Returns the role that the certificate in a folder grants, without verifying the certificate: node, unless the
/// certificate is a driver's. @throws Error bad_certificate
Role role_of(const std::string& folder);

}  // namespace troupe
