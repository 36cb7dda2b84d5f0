#pragma once

#include <cstdint>
#include <optional>
#include <string>

// The folder of a private certificate authority, as `troupe certs` manages it. `ca.pem` and `ca-key.pem` are the
// authority's certificate and key. `issued.pem` contains all certificates that it has issued, and `crl.pem` the revoked
// ones. Each member's credentials are in a subfolder. Concurrent operations on one folder are serialized by a lock.
namespace troupe {

inline constexpr std::int64_t kAuthorityDays = 3650;
/// Default lifetime of certificates of drivers and nodes; shorter if the authority expires earlier.
inline constexpr std::int64_t kMemberDays = 90;

struct AuthorityOptions {
  std::int64_t days = kAuthorityDays;
  std::optional<std::int64_t> driver_days = {};
  std::string driver_name =
      "driver";  ///< common name of the driver's certificate, which nodes can be configured to require
};

/// Makes a new authority in `folder`, and the driver's credentials in `folder/driver`. Only the owner can read the
/// keys.
/// @throws Error bad_certificate if the folder already contains an authority; invalid_argument for days out of range or
/// an invalid name; system
void create_authority(const std::string& folder, const AuthorityOptions& options = {});

/// Makes `folder/NAME` with `ca.pem`, `cert.pem` and `key.pem` for a node. Copy the folder to the node; the authority's
/// key is not in it.
/// @throws Error invalid_argument for an invalid name or days out of range; bad_certificate if there is no authority or
/// the name is taken.
void create_node_credentials(const std::string& folder, const std::string& name,
                             std::optional<std::int64_t> days = std::nullopt);

/// Replaces a member's key and certificate atomically: a concurrent reader of `folder/NAME` gets the old pair or the
/// new one. The old certificate stays valid until it expires or is revoked. The name "driver" is the driver.
/// @throws Error invalid_argument for a name without a certificate; otherwise as above
void renew_credentials(const std::string& folder, const std::string& name,
                       std::optional<std::int64_t> days = std::nullopt);

/// The number of certificates of a name, and how many of them were newly revoked.
struct Revoked {
  int certificates = 0;
  int added = 0;
};

/// Revokes all certificates of a name, and writes the new list beside every member's credentials, too.
/// @throws Error invalid_argument for a name without a certificate; bad_certificate for an authority that cannot sign
/// lists, or a damaged file; system
Revoked revoke_credentials(const std::string& folder, const std::string& name);

}  // namespace troupe
