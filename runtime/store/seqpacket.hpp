#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe::store {

/// Makes a pair of connected sockets (AF_UNIX, SOCK_SEQPACKET), which have no address that another process could
/// connect to. @throws Error system or limit_reached
std::pair<FileDescriptor, FileDescriptor> make_socket_pair();

/// Sends one packet without blocking. The packet carries the descriptor `fd`, unless `fd` is negative. Returns false if
/// the peer has ended or its queue is full.
bool send_packet(int socket, std::span<const std::byte> packet, int fd);

/// The result of `receive_packet`.
enum class Received : unsigned char {
  packet,
  no_file,   ///< a packet; its descriptor was lost because of this process's limit on open files
  nothing,   ///< no packet is available
  closed,    ///< the peer has closed the connection, or it broke
  malformed  ///< a packet of another size
};

/// Receives one packet without blocking. The packet must have exactly `packet.size()` bytes. A descriptor that the
/// packet carries is moved to `fd`; if `fd` is null, it is discarded.
Received receive_packet(int socket, std::span<std::byte> packet, FileDescriptor* fd);

}  // namespace troupe::store
