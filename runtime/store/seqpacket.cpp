#include "runtime/store/seqpacket.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace troupe::store {
namespace {

union ControlBuffer {
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
  cmsghdr align;
};

FileDescriptor descriptor_of(msghdr& message) {
  FileDescriptor fd;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int value = -1;
    std::memcpy(&value, CMSG_DATA(header), sizeof value);
    fd = FileDescriptor(value);
  }
  return fd;
}

}  // namespace

std::pair<FileDescriptor, FileDescriptor> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool send_packet(int socket, std::span<const std::byte> packet, int fd) {
  iovec part{const_cast<std::byte*>(packet.data()), packet.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(packet.size());
}

Received receive_packet(int socket, std::span<std::byte> packet, FileDescriptor* fd) {
  iovec part{packet.data(), packet.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd != nullptr) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
  }
  const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Received::nothing : Received::closed;
  FileDescriptor received = fd != nullptr ? descriptor_of(message) : FileDescriptor();
  if (got == 0) return Received::closed;
  if (got != static_cast<ssize_t>(packet.size()) || (message.msg_flags & MSG_TRUNC) != 0) return Received::malformed;
  if (fd == nullptr) return Received::packet;
  *fd = std::move(received);
  return (message.msg_flags & MSG_CTRUNC) != 0 ? Received::no_file : Received::packet;
}

}  // namespace troupe::store
