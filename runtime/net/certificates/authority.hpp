#pragma once

#include <cstdint>
#include <optional>
#include <string>

// This file declares the operations of `troupe certs` on the folder of a private certificate authority. In this folder,
// `ca.pem` and `ca-key.pem` are the authority's certificate and key. `issued.pem` contains all certificates that the
// authority has issued, and `crl.pem` is the list of revoked certificates. The driver and each node have their
// credentials in a subfolder. Each operation locks the folder, so that concurrent operations run one after the other.
namespace troupe {

/// Default lifetime of an authority, in days.
inline constexpr std::int64_t kAuthorityDays = 3650;
/// Default lifetime of the certificates of drivers and nodes, in days. If the authority expires earlier, these
/// certificates expire at the same time as the authority.
inline constexpr std::int64_t kMemberDays = 90;

struct AuthorityOptions {
  std::int64_t days = kAuthorityDays;            ///< lifetime of the authority, in days
  std::optional<std::int64_t> driver_days = {};  ///< lifetime of the driver's certificate, in days; none: `kMemberDays`
  /// Common name in the driver's certificate. The user can configure nodes to accept only a driver with this name.
  std::string driver_name = "driver";
};

/// Makes a new authority in `folder`, and the driver's credentials in the subfolder `folder/driver`. Only the owner of
/// the key files can read them.
/// @throws Error bad_certificate if the folder already contains an authority; invalid_argument for an invalid name or
/// number of days; system
void create_authority(const std::string& folder, const AuthorityOptions& options = {});

/// Makes the credentials of the node `name`: the subfolder `folder/NAME` with `ca.pem`, `cert.pem` and `key.pem`. The
/// user must copy this subfolder to the node's machine. The subfolder does not contain the authority's key.
/// @param folder the folder of the authority
/// @param days lifetime of the certificate, in days; none: `kMemberDays`
/// @throws Error invalid_argument for an invalid name or number of days; bad_certificate if there is no authority in
/// `folder`, or the subfolder exists
void create_node_credentials(const std::string& folder, const std::string& name,
                             std::optional<std::int64_t> days = std::nullopt);

/// Makes a new key and a new certificate, and replaces those in the subfolder `folder/NAME` atomically: a process that
/// reads the subfolder at the same time gets either the old pair or the new pair. The old certificate stays valid until
/// it expires or is revoked.
/// @param name the name of a node, or "driver" for the driver. The driver's name is "driver" here, even if its
/// certificate has another common name.
/// @throws Error invalid_argument for a name without a certificate; otherwise as `create_node_credentials`
void renew_credentials(const std::string& folder, const std::string& name,
                       std::optional<std::int64_t> days = std::nullopt);

/// The result of `revoke_credentials`.
struct Revoked {
  int certificates = 0;  ///< number of certificates that the authority has issued for the name
  int added = 0;         ///< number of these certificates that were not revoked before the call
};

/// Revokes all certificates that were issued for `name`. Writes the new revocation list to `crl.pem` in the authority's
/// folder, and in the subfolders of the driver and of all nodes.
/// @throws Error invalid_argument for a name without a certificate; bad_certificate if the authority's certificate does
/// not allow it to sign revocation lists, or a file is damaged; system
Revoked revoke_credentials(const std::string& folder, const std::string& name);

}  // namespace troupe
