#pragma once

#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// TCP sockets, non-blocking and without Nagle's delay, which end when the other machine does not answer any more.
namespace troupe::net {

/// @throws Error system (nobody listens, no such host), timeout (of resolving, too); both name the address.
FileDescriptor connect_to(const Address& to, const Deadline& deadline);
/// Waits half a second for an address that is taken. @throws Error system, naming the address.
FileDescriptor listen_on(const Address& address);
/// None when nobody waits, with `errno` otherwise as of accept4.
FileDescriptor accept_from(int listener);

/// Whether a call that failed with this `errno` may go on when the socket is ready.
bool may_go_on(int error);

Address peer_of(int socket);
Address local_of(int socket);

}  // namespace troupe::net
