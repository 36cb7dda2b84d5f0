#include "cluster/tap.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <iostream>

#include "actors/transport/frames_of.hpp"
#include "troupe/error.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {

namespace {

FileDescriptor listen_at(const std::string& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ::unlink(path.c_str());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 1) != 0)
    throw_errno("cannot listen for the node");
  return socket;
}

void send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw_errno("send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

}  // namespace

Tap::Tap(TlsStream driver, const std::string& path, Change change, See see)
    : driver_(std::move(driver)),
      change_(std::move(change)),
      see_(std::move(see)),
      listener_(listen_at(path)),
      thread_([this] { run(); }) {}

bool Tap::relay_from_node(int node, FramesOf& frames) {
  std::array<std::byte, 65536> bytes;
  const ssize_t got = ::recv(node, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  for (const Frame& whole : frames.take(std::span(bytes).first(static_cast<std::size_t>(got))))
    for (const Frame& each : change_(whole)) driver_.write_all(each, Deadline(20s));
  return true;
}

bool Tap::relay_from_driver(int node, FramesOf& frames) {
  std::array<std::byte, 65536> bytes;
  do {
    const auto progress = driver_.read_some(bytes);
    for (const Frame& whole : frames.take(std::span(bytes).first(progress.bytes))) {
      see_(whole);
      // Drops frames to a named receiver, as an admission does. Otherwise the node would monitor the sender.
      if (header_of(whole).flags != wire::kNamedReceiver) send_all(node, whole);
    }
    if (progress.wants == TlsStream::Wants::closed) return false;
  } while (driver_.pending());
  return true;
}

void Tap::run() try {
  const FileDescriptor node(::accept(listener_.get(), nullptr, nullptr));
  FramesOf from_node;
  FramesOf from_driver;
  for (bool goes_on = static_cast<bool>(node); goes_on;) {
    std::array<pollfd, 2> ready{pollfd{node.get(), POLLIN, 0}, pollfd{driver_.fd(), POLLIN, 0}};
    ::poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0) goes_on = relay_from_node(node.get(), from_node);
    if (goes_on && ready[1].revents != 0) goes_on = relay_from_driver(node.get(), from_driver);
  }
} catch (const Error& error) {
  std::cerr << "rogue: " << error.what() << std::endl;
}

}  // namespace troupe_test
