#pragma once

#include <netdb.h>

#include <memory>

#include "runtime/clock.hpp"
#include "runtime/net/address.hpp"

namespace troupe::net {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Maximum number of concurrent look-ups of names, including look-ups that were abandoned at their deadline.
inline constexpr int kMostLookUps = 8;

/// Resolves a network address to socket addresses, for connect or bind. A numeric address is resolved immediately. A
/// host name is looked up on a separate thread. At the deadline, this thread is abandoned, because a look-up of the C
/// library cannot be cancelled.
/// @param flags flags for getaddrinfo, such as AI_PASSIVE
/// @throws Error system if there is no such host or too many look-ups are pending; timeout. Both errors contain the
/// host.
Resolved resolve(const Address& address, int flags, const Deadline& deadline);

/// Returns whether `host` is a numeric address and not a name. The address may be an IPv4 or IPv6 address, and an IPv6
/// address may have a scope, as in "fe80::1%eth0".
bool is_numeric(const std::string& host);

}  // namespace troupe::net
