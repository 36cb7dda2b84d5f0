#pragma once

#include <openssl/types.h>

#include <string>

namespace troupe {

/// What a certificate entitles to. A node cannot pose as the driver.
enum class Role : unsigned char { driver, node };

/// "driver" or "node".
const char* to_string(Role role);

namespace net {

/// "urn:troupe:role:driver" and "urn:troupe:role:node".
std::string role_name(Role role);

/// True when the certificate has exactly one role, and it is this one.
bool has_role(X509* certificate, Role role);

}  // namespace net
}  // namespace troupe
