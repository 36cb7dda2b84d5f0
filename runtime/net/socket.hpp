#pragma once

#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// This file declares functions on non-blocking TCP sockets. The sockets have no Nagle delay, so small messages are sent
// immediately. The sockets send keep-alive packets, which detect a peer machine that no longer answers.
namespace troupe::net {

/// Connects to an address, and returns the socket. `deadline` applies to the look-up of the host's name and to the
/// connection together.
/// @throws Error system, for example if the connection is refused or there is no such host; timeout. Both contain the
/// address.
FileDescriptor connect_to(const Address& to, const Deadline& deadline);
/// Listens on an address, and returns the listening socket. If the address is in use, retries for half a second.
/// @throws Error system that contains the address
FileDescriptor listen_on(const Address& address);
/// Returns the next waiting connection of a listening socket. If no connection waits, or after an error, returns an
/// empty descriptor; `errno` is then set by accept4.
FileDescriptor accept_from(int listener);

/// Returns whether a system call that failed with this `errno` may be retried once the socket is ready.
bool may_go_on(int error);

/// Return the numeric address of a socket's peer (`peer_of`), or of the socket itself (`local_of`). If the system does
/// not return an address, the result has the host "unknown".
Address peer_of(int socket);
Address local_of(int socket);

}  // namespace troupe::net
