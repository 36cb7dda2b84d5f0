#pragma once

#include <netdb.h>

#include <memory>

#include "runtime/clock.hpp"
#include "runtime/net/address.hpp"

namespace troupe::net {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

inline constexpr int kMostLookUps = 8;  ///< maximum number of concurrent look-ups, including abandoned ones

/// Resolves an address to connect or bind to. A numeric address is resolved immediately. A name is looked up on a
/// separate thread, which is abandoned at the deadline, because a look-up of the C library cannot be cancelled.
/// @param flags flags for getaddrinfo, such as AI_PASSIVE
/// @throws Error system if there is no such host or too many look-ups are pending; timeout. Both errors name the host.
Resolved resolve(const Address& address, int flags, const Deadline& deadline);

/// Returns whether `host` is a numeric IPv4 or IPv6 address, with or without a scope, and not a name.
bool is_numeric(const std::string& host);

}  // namespace troupe::net
