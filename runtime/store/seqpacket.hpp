#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe::store {

/// Makes a pair of connected sockets (AF_UNIX, SOCK_SEQPACKET). The sockets have no address, so other processes cannot
/// connect to them. @throws Error system or limit_reached
std::pair<FileDescriptor, FileDescriptor> make_socket_pair();

/// Sends `packet` as one message, without blocking. The message carries the descriptor `fd`, unless `fd` is negative.
/// Returns false if the peer has ended, or the peer's queue is full.
bool send_packet(int socket, std::span<const std::byte> packet, int fd);

/// The result of `receive_packet`.
enum class Received : unsigned char {
  packet,
  no_file,   ///< a packet whose descriptor was lost, because this process has reached its limit on open files
  nothing,   ///< no packet is available
  closed,    ///< the peer has closed the connection, or the connection broke
  malformed  ///< the packet has another size than `packet`
};

/// Receives one packet of exactly `packet.size()` bytes into `packet`, without blocking. If the packet carries a
/// descriptor, the descriptor is moved to `fd`, or closed if `fd` is null.
Received receive_packet(int socket, std::span<std::byte> packet, FileDescriptor* fd);

}  // namespace troupe::store
