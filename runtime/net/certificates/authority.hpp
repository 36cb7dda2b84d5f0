#pragma once

#include <cstdint>
#include <optional>
#include <string>

// The folder of a private authority: what `troupe certs` does. `ca.pem` and `ca-key.pem` are the authority's own,
// `issued.pem` holds every certificate that it has made and `crl.pem` which of them are revoked; each member's
// credentials lie in a folder of their own below. Two of these at a time take turns.
namespace troupe {

inline constexpr std::int64_t kAuthorityDays = 3650;
/// Of drivers and nodes; less where the authority ends before.
inline constexpr std::int64_t kMemberDays = 90;

struct AuthorityOptions {
  std::int64_t days = kAuthorityDays;
  std::optional<std::int64_t> driver_days = {};
  std::string driver_name =
      "driver";  ///< the common name of the driver's certificate, which nodes can be told to ask for
};

/// Makes a new authority in `folder`, and the driver's credentials in `folder/driver`. Keys are readable by their owner
/// only. @throws Error bad_certificate when there is one already; invalid_argument for days that cannot be or a name
/// that is no plain word; system
void create_authority(const std::string& folder, const AuthorityOptions& options = {});

/// Makes `folder/NAME` with `ca.pem`, `cert.pem` and `key.pem` for a node, to be copied to it; the authority's key
/// stays where it is. @throws Error invalid_argument for a name that is no plain word or days that cannot be,
/// bad_certificate when the authority is not there or the name is taken.
void create_node_credentials(const std::string& folder, const std::string& name,
                             std::optional<std::int64_t> days = std::nullopt);

/// Puts a new key and certificate in the place of a member's, in one go: whoever reads `folder/NAME` meanwhile gets the
/// old pair or the new one. The old certificate stays good until it ends or is revoked. "driver" is the driver.
/// @throws Error invalid_argument for a name without a certificate; otherwise as above
void renew_credentials(const std::string& folder, const std::string& name,
                       std::optional<std::int64_t> days = std::nullopt);

/// How many certificates a name has had, and how many of them were not revoked before.
struct Revoked {
  int certificates = 0;
  int added = 0;
};

/// Revokes all certificates that a name has ever had, and writes the list beside each member's credentials, too.
/// @throws Error invalid_argument for a name without a certificate; bad_certificate for an authority that cannot sign
/// lists, or a file that is broken; system
Revoked revoke_credentials(const std::string& folder, const std::string& name);

}  // namespace troupe
