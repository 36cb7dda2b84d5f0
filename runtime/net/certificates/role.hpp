#pragma once

#include <openssl/types.h>

#include <string>

namespace troupe {

/// The role that a certificate grants its owner. With a node's certificate, a process cannot act as the driver.
enum class Role : unsigned char { driver, node };

/// Returns "driver" or "node".
const char* to_string(Role role);

namespace net {

/// Returns the URI that a certificate with this role contains: "urn:troupe:role:driver" or "urn:troupe:role:node".
std::string role_name(Role role);

/// Returns whether the certificate grants `role`, and no other role.
bool has_role(X509* certificate, Role role);

}  // namespace net
}  // namespace troupe
