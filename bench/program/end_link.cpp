#include "bench/program/end_link.hpp"

#include <sys/socket.h>

#include <array>

#include "troupe/error.hpp"

namespace troupe::bench {

void EndLink::say(const std::string& line) {
  if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw_errno("the other process of the measurement has ended");
}

std::string EndLink::hear() {
  std::array<char, 512> line{};
  const ssize_t length = ::recv(socket_.get(), line.data(), line.size(), 0);
  if (length <= 0) throw Error(ErrorCode::system, "the other process of the measurement has ended");
  return {line.data(), static_cast<std::size_t>(length)};
}

void EndLink::meet() {
  say("here");
  hear();
}

std::pair<FileDescriptor, FileDescriptor> make_link() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw_errno("cannot make a socket pair");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace troupe::bench
