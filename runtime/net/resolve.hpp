#pragma once

#include <netdb.h>

#include <memory>

#include "runtime/clock.hpp"
#include "runtime/net/address.hpp"

namespace troupe::net {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

inline constexpr int kMostLookUps = 8;  ///< at a time, those included that nobody waits for any more

/// What to connect to or to bind. Numeric addresses are told at once. Names are looked up on a thread of their own,
/// which is left to itself at the deadline, since nothing ends a look-up of the C library's.
/// @param flags as of getaddrinfo. @throws Error system (no such host, too many look-ups that do not end), timeout;
/// both name the host.
Resolved resolve(const Address& address, int flags, const Deadline& deadline);

/// Whether `host` is an IPv4 or IPv6 address (the latter perhaps with a scope), and no name that has to be looked up.
bool is_numeric(const std::string& host);

}  // namespace troupe::net
