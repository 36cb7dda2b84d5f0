#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "runtime/net/certificates/role.hpp"

namespace troupe {

/// A checked certificate with its key and the authority that both sides must share.
class Credentials {
 public:
  /// Reads `ca.pem`, `cert.pem` and `key.pem` of a folder, and `crl.pem` where there is one, and checks them as a peer
  /// would. Peers whose certificates are on that list are refused; without one nobody's is revoked.
  /// @param driver the name that a driver's certificate must have to be believed; empty for any
  /// @throws Error bad_certificate: a file is missing or no PEM, the certificate has expired, is not valid yet or
  /// revoked, was not signed by the authority, does not belong to the key, carries another role, or the key is readable
  /// by others; the list is not the authority's or has expired.
  Credentials(const std::string& folder, Role role, std::string driver = {});
  ~Credentials();

  Role role() const { return role_; }
  /// The subject's common name, such as a node's name.
  const std::string& name() const { return name_; }
  /// @throws Error protocol for a peer that is a driver of another name than the wanted one
  void check_peer(Role role, const std::string& name) const;
  /// TLS 1.3 only, both sides with certificates of this authority.
  SSL_CTX* server() const { return server_.get(); }
  SSL_CTX* client() const { return client_.get(); }

 private:
  Role role_;
  std::string driver_;
  std::string name_;
  std::shared_ptr<SSL_CTX> server_;
  std::shared_ptr<SSL_CTX> client_;
};

/// Which role a folder's certificate carries, whatever else may be wrong with it. @throws Error bad_certificate
Role role_of(const std::string& folder);

}  // namespace troupe
