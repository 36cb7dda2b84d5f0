#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Functions of `troupe certs` on the folder of a private certificate authority. In the folder, `ca.pem` and
// `ca-key.pem` are the authority's certificate and key. `issued.pem` contains all certificates that the authority has
// issued, and `crl.pem` is the list of revoked certificates. Each member (the driver or a node) has its credentials in
// a subfolder. A lock on the folder makes concurrent operations run one after the other.
namespace troupe {

/// Default lifetime of an authority, in days.
inline constexpr std::int64_t kAuthorityDays = 3650;
/// Default lifetime of the certificates of drivers and nodes, in days. If the authority expires earlier, its
/// certificates expire with it.
inline constexpr std::int64_t kMemberDays = 90;

struct AuthorityOptions {
  std::int64_t days = kAuthorityDays;            ///< lifetime of the authority
  std::optional<std::int64_t> driver_days = {};  ///< lifetime of the driver's certificate; none: the default
  std::string driver_name =
      "driver";  ///< common name in the driver's certificate; nodes can be configured to accept only this name
};

/// Makes a new authority in `folder`, and the driver's credentials in `folder/driver`. Only the owner of the files can
/// read the keys.
/// @throws Error bad_certificate if the folder already contains an authority; invalid_argument for an invalid name or
/// number of days; system
void create_authority(const std::string& folder, const AuthorityOptions& options = {});

/// Makes the credentials of a node: the subfolder `folder/NAME` with `ca.pem`, `cert.pem` and `key.pem`. The user
/// copies the subfolder to the node's machine. It does not contain the authority's key.
/// @param days lifetime of the certificate; none: the default
/// @throws Error invalid_argument for an invalid name or number of days; bad_certificate if there is no authority in
/// `folder`, or the subfolder exists
void create_node_credentials(const std::string& folder, const std::string& name,
                             std::optional<std::int64_t> days = std::nullopt);

/// Replaces the key and certificate in `folder/NAME` atomically: a process that reads the subfolder at the same time
/// gets either the old pair or the new pair. The old certificate stays valid until it expires or is revoked.
/// @param name a node's name, or "driver" for the driver, whichever common name its certificate has
/// @throws Error invalid_argument for a name without a certificate; otherwise as `create_node_credentials`
void renew_credentials(const std::string& folder, const std::string& name,
                       std::optional<std::int64_t> days = std::nullopt);

/// The result of `revoke_credentials`.
struct Revoked {
  int certificates = 0;  ///< number of certificates that were ever issued for the name
  int added = 0;         ///< number of these that were not revoked before
};

/// Revokes all certificates of a name. Writes the new revocation list to `crl.pem` in the authority's folder and in
/// every member's subfolder.
/// @throws Error invalid_argument for a name without a certificate; bad_certificate if the authority's certificate does
/// not allow it to sign revocation lists, or a file is damaged; system
Revoked revoke_credentials(const std::string& folder, const std::string& name);

}  // namespace troupe
