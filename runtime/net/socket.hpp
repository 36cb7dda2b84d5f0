#pragma once

#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// Functions on non-blocking TCP sockets. Nagle's delay is off, so small messages are sent immediately. Keep-alive
// packets detect a peer machine that no longer answers.
namespace troupe::net {

/// Connects to an address. @throws Error system (such as connection refused or no such host) or timeout (also of the
/// look-up); both name the address
FileDescriptor connect_to(const Address& to, const Deadline& deadline);
/// Listens on an address. If the address is in use, retries for half a second. @throws Error system that names the
/// address
FileDescriptor listen_on(const Address& address);
/// Returns the next waiting connection of a listening socket. Returns none if no connection waits, or on an error, with
/// `errno` as set by accept4.
FileDescriptor accept_from(int listener);

/// Returns whether a system call that failed with this `errno` may be retried, once the socket is ready.
bool may_go_on(int error);

/// Return the numeric address of a socket's peer, or of the socket itself; host "unknown" if the system cannot tell.
Address peer_of(int socket);
Address local_of(int socket);

}  // namespace troupe::net
