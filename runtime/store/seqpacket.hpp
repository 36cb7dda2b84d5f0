#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/file_descriptor.hpp"

namespace troupe::store {

/// Makes two connected AF_UNIX SOCK_SEQPACKET sockets that no other process can reach. @throws Error system
std::pair<FileDescriptor, FileDescriptor> make_socket_pair();

/// Sends one packet, with a descriptor unless `fd` is negative. Returns false if the peer has ended or does not read.
bool send_packet(int socket, std::span<const std::byte> packet, int fd);

enum class Received : unsigned char {
  packet,
  no_file,  ///< a packet whose descriptor exceeds this process's limit on open files
  nothing,
  closed,
  malformed
};

/// Receives one packet of exactly `packet.size()` bytes without waiting. A descriptor in the packet is moved to `fd`,
/// or closed if `fd` is null.
Received receive_packet(int socket, std::span<std::byte> packet, FileDescriptor* fd);

}  // namespace troupe::store
