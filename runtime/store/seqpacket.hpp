#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe::store {

/// Two connected AF_UNIX SOCK_SEQPACKET sockets that nobody else can reach. @throws Error system
std::pair<FileDescriptor, FileDescriptor> make_socket_pair();

/// Sends one packet, with a descriptor beside it unless `fd` is negative. False when the peer is gone or does not read.
bool send_packet(int socket, std::span<const std::byte> packet, int fd);

enum class Received : unsigned char {
  packet,
  no_file,  ///< a packet whose descriptor this process has no place for
  nothing,
  closed,
  malformed
};

/// Receives one packet of exactly `packet.size()` bytes without waiting. A descriptor that came with it goes to `fd`,
/// or is closed where `fd` is null.
Received receive_packet(int socket, std::span<std::byte> packet, FileDescriptor* fd);

}  // namespace troupe::store
