#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

namespace troupe {

/// What a certificate entitles to. A node cannot pose as the driver.
enum class Role : unsigned char { driver, node };

/// "driver" or "node".
const char* to_string(Role role);

/// A checked certificate with its key and the authority that both sides must share.
class Credentials {
 public:
  /// Reads `ca.pem`, `cert.pem` and `key.pem` of a folder and checks them as a peer would.
  /// @throws Error bad_certificate: a file is missing or no PEM, the certificate has expired or is not valid yet, was
  /// not signed by the authority, does not belong to the key, carries another role, or the key is readable by others.
  Credentials(const std::string& folder, Role role);
  ~Credentials();

  Role role() const { return role_; }
  /// The subject's common name, such as a node's name.
  const std::string& name() const { return name_; }
  /// TLS 1.3 only, both sides with certificates of this authority.
  SSL_CTX* server() const { return server_.get(); }
  SSL_CTX* client() const { return client_.get(); }

 private:
  Role role_;
  std::string name_;
  std::shared_ptr<SSL_CTX> server_;
  std::shared_ptr<SSL_CTX> client_;
};

/// Which role a folder's certificate carries, whatever else may be wrong with it. @throws Error bad_certificate
Role role_of(const std::string& folder);

/// Makes a new authority in `folder` (`ca.pem`, `ca-key.pem`; valid for ten years) and the driver's credentials in
/// `folder/driver`.
/// Keys are readable by their owner only. @throws Error bad_certificate when there is one already; system.
void create_authority(const std::string& folder);

/// Makes the driver's credentials anew, after those in `folder/driver` were removed (they are valid for two years).
/// @throws Error bad_certificate when the authority is not there or the folder is still there; system.
void create_driver_credentials(const std::string& folder);

/// Makes `folder/NAME` with `ca.pem`, `cert.pem` and `key.pem` for a node, to be copied to it; the authority's key
/// stays where it is. @throws Error invalid_argument for a name that is no plain word, bad_certificate when the
/// authority is not there or the name is taken.
void create_node_credentials(const std::string& folder, const std::string& name);

}  // namespace troupe
