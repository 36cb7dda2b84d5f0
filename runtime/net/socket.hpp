#pragma once

#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// Non-blocking TCP sockets without Nagle's delay. Keep-alive detects a peer machine that no longer answers.
namespace troupe::net {

/// Connects to an address. @throws Error system (connection refused, no such host) or timeout (of the look-up, too);
/// both name the address.
FileDescriptor connect_to(const Address& to, const Deadline& deadline);
/// Listens on an address. If the address is in use, retries for half a second. @throws Error system, naming the
/// address.
FileDescriptor listen_on(const Address& address);
/// Returns the next waiting connection. Returns none if there is none, or on an error, with `errno` as set by accept4.
FileDescriptor accept_from(int listener);

/// Returns whether a call that failed with this `errno` may be retried when the socket is ready.
bool may_go_on(int error);

Address peer_of(int socket);
Address local_of(int socket);

}  // namespace troupe::net
