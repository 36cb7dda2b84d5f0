#pragma once

#include <netdb.h>

#include <memory>

#include "runtime/clock.hpp"
#include "runtime/net/address.hpp"

namespace troupe::net {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

inline constexpr int kMostLookUps = 8;  ///< look-ups at the same time, including abandoned ones

/// Resolves an address to connect or bind to. Numeric addresses are resolved at once. Names are looked up on a separate
/// thread. The thread is abandoned at the deadline, because a look-up of the C library cannot be cancelled.
/// @param flags as for getaddrinfo. @throws Error system (no such host, too many pending look-ups) or timeout; both
/// name the host.
Resolved resolve(const Address& address, int flags, const Deadline& deadline);

/// Returns whether `host` is a numeric IPv4 or IPv6 address (with or without a scope), not a name to look up.
bool is_numeric(const std::string& host);

}  // namespace troupe::net
