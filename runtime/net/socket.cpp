#include "runtime/net/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/net/byte_stream.hpp"
#include "runtime/net/resolve.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

/// Timeout for resolving the address to listen on.
constexpr std::chrono::seconds kListenTimeout{10};
/// The maximum time for which listening is retried while the address is in use.
constexpr std::chrono::milliseconds kAddressInUse{500};

FileDescriptor make_socket(const addrinfo& at) {
  return FileDescriptor(::socket(at.ai_family, at.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at.ai_protocol));
}

/// Disables the Nagle delay of a socket, and enables keep-alive packets. These packets detect within about five seconds
/// that the peer machine no longer answers, even if this process sends nothing.
void prepare(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

/// Connects a socket, and waits for the result until the deadline. Returns 0 on success, or the `errno` of the failure.
/// @throws Error timeout
int try_connect(int socket, const addrinfo& at, const Deadline& deadline) {
  if (::connect(socket, at.ai_addr, at.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  wait_for(socket, ByteStream::Wants::write, deadline);
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

Address numeric(const sockaddr_storage& storage, socklen_t size) {
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "0";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  constexpr const char* kMapped = "::ffff:";
  const bool mapped = std::strncmp(host, kMapped, std::strlen(kMapped)) == 0;
  return {mapped ? host + std::strlen(kMapped) : host, static_cast<std::uint16_t>(std::stoi(port))};
}

[[noreturn]] void fail(const char* what, const Address& address, int error) {
  throw_refused(what + address.text(), error);
}

FileDescriptor connect_to_any(const addrinfo& found, const Address& to, const Deadline& deadline) {
  int error = 0;
  for (const addrinfo* at = &found; at != nullptr; at = at->ai_next) {
    FileDescriptor socket = make_socket(*at);
    if (!socket) {
      error = errno;
      continue;
    }
    error = try_connect(socket.get(), *at, deadline);
    if (error != 0) continue;
    prepare(socket.get());
    return socket;
  }
  fail("cannot connect to ", to, error);
}

/// Makes a listening socket. On failure, returns an empty descriptor, with the reason in `errno`.
FileDescriptor try_listen(const addrinfo& at) {
  FileDescriptor socket = make_socket(at);
  const int on = 1;
  const bool listening = socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                         ::bind(socket.get(), at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket.get(), SOMAXCONN) == 0;
  return listening ? std::move(socket) : FileDescriptor();
}

}  // namespace

FileDescriptor connect_to(const Address& to, const Deadline& deadline) {
  const Resolved found = resolve(to, AI_ADDRCONFIG, deadline);
  try {
    return connect_to_any(*found, to, deadline);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::timeout) throw;
    throw Error(ErrorCode::timeout, to.text() + " does not answer");
  }
}

FileDescriptor listen_on(const Address& address) {
  const Resolved found = resolve(address, AI_PASSIVE, Deadline(kListenTimeout));
  // The address may be in use for a moment after the previous listener has ended: a child process that it had just
  // forked has inherited the listening socket, which stays open until the child calls exec. Therefore retries.
  const Deadline deadline(kAddressInUse);
  FileDescriptor socket = try_listen(*found);
  while (!socket && errno == EADDRINUSE && !deadline.passed()) {
    Clock::sleep_for(std::chrono::milliseconds(20));
    socket = try_listen(*found);
  }
  if (!socket) fail("cannot listen on ", address, errno);
  return socket;
}

FileDescriptor accept_from(int listener) {
  FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) prepare(socket.get());
  return socket;
}

bool may_go_on(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Address peer_of(int socket) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {"unknown", 0};
  return numeric(storage, size);
}

Address local_of(int socket) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {"unknown", 0};
  return numeric(storage, size);
}

}  // namespace troupe::net
