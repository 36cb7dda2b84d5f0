#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "runtime/net/certificates/role.hpp"

namespace troupe {

/// The credentials with which a process identifies itself to peers: a verified certificate, its private key, and the
/// certificate of the authority. The same authority must have signed the certificates of peers.
class Credentials {
 public:
  /// Reads `ca.pem`, `cert.pem` and `key.pem` of a folder, and the revocation list `crl.pem` if it exists. Verifies the
  /// certificate in the same way as a peer will verify it. TLS connections with these credentials refuse peers whose
  /// certificates are on the revocation list. Without a list, no certificate counts as revoked.
  /// @param role the role that this process's certificate must grant
  /// @param driver the common name that the certificate of a peer must have, if the peer is a driver; empty: any name
  /// @throws Error bad_certificate in these cases. A file is missing or not PEM. The certificate has expired, is not
  /// valid yet, is revoked, was not signed by the authority, does not match the key or has another role. The key is
  /// readable by others. The list was not signed by the authority or has expired.
  Credentials(const std::string& folder, Role role, std::string driver = {});
  ~Credentials();

  Role role() const { return role_; }
  /// Returns the common name in the certificate, such as a node's name.
  const std::string& name() const { return name_; }
  /// Checks the name of a peer. @throws Error protocol if the peer is a driver, and its name is not the one that the
  /// constructor's parameter `driver` requires
  void check_peer(Role role, const std::string& name) const;
  /// Return the OpenSSL contexts for the side of a connection that accepts it (`server`) and the side that opens it
  /// (`client`). Both contexts allow TLS 1.3 only, and require peers to have a certificate of this authority.
  SSL_CTX* server() const { return server_.get(); }
  SSL_CTX* client() const { return client_.get(); }

 private:
  Role role_;
  std::string driver_;
  std::string name_;
  std::shared_ptr<SSL_CTX> server_;
  std::shared_ptr<SSL_CTX> client_;
};

/// Returns the role that the certificate `folder/cert.pem` grants: driver if it is a driver's certificate, otherwise
/// node. Does not verify the certificate. @throws Error bad_certificate
Role role_of(const std::string& folder);

}  // namespace troupe
