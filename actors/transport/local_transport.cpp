#include "actors/transport/local_transport.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <cstring>

#include "actors/transport/connection_manager.hpp"
#include "runtime/file_descriptor.hpp"

namespace troupe {
namespace {

constexpr const char* kSocketName = "/driver";

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw Error(ErrorCode::system, "the path of the folder for temporary files is too long for a socket",
                {.object = path});
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// Returns the path of the socket in the folder `folder`.
/// @throws Error system if the path is too long for a socket
std::string socket_in(const std::string& folder) {
  address_of(folder + kSocketName);
  return folder + kSocketName;
}

FileDescriptor make_socket() {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw_errno("socket");
  return socket;
}

void set_non_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

/// Returns true if the process at the other end of `fd` runs as this user and `admit` accepts it.
bool admitted(int fd, const LocalListener::Admit& admit) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid() && admit(peer.pid);
}

/// Accepts connections on an AF_UNIX socket for CAF. If a process is not admitted, closes its connection before CAF
/// reads from it, because CAF crashes on invalid input.
class LocalDoorman : public caf::io::network::doorman_impl {
 public:
  LocalDoorman(caf::io::network::default_multiplexer& multiplexer, int fd, LocalListener::Admit admit)
      : doorman_impl(multiplexer, fd), admit_(std::move(admit)) {}

  bool new_connection() override {
    if (admitted(acceptor_.accepted_socket(), admit_)) return doorman_impl::new_connection();
    ::close(acceptor_.accepted_socket());
    return true;
  }
  std::string addr() const override { return "local"; }
  std::uint16_t port() const override { return kPublishedPort; }

 private:
  LocalListener::Admit admit_;
};

/// A connection manager of CAF that uses AF_UNIX sockets instead of TCP. CAF passes the path of the socket as the
/// argument that is a host name for TCP.
class LocalManager : public caf::io::middleman_actor_impl {
 public:
  LocalManager(caf::actor_config& config, caf::actor broker, LocalListener::Admit admit)
      : middleman_actor_impl(config, std::move(broker)), admit_(std::move(admit)) {}

 protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& path, std::uint16_t /*port*/) override {
    try {
      FileDescriptor socket = make_socket();
      const sockaddr_un address = address_of(path);
      if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return caf::make_error(caf::sec::cannot_connect_to_node, path);
      set_non_blocking(socket.get());
      return multiplexer().new_scribe(socket.release());
    } catch (const Error& error) {
      return caf::make_error(caf::sec::cannot_connect_to_node, error.what());
    }
  }

  caf::expected<caf::io::doorman_ptr> open(std::uint16_t /*port*/, const char* path, bool /*reuse*/) override {
    try {
      FileDescriptor socket = make_socket();
      const sockaddr_un address = address_of(path);
      if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) throw_errno("bind");
      if (::listen(socket.get(), SOMAXCONN) != 0) throw_errno("listen");
      set_non_blocking(socket.get());
      return caf::io::doorman_ptr(caf::make_counted<LocalDoorman>(multiplexer(), socket.release(), admit_));
    } catch (const Error& error) {
      return caf::make_error(caf::sec::cannot_open_port, error.what());
    }
  }

 private:
  caf::io::network::default_multiplexer& multiplexer() {
    return dynamic_cast<caf::io::network::default_multiplexer&>(system().middleman().backend());
  }

  LocalListener::Admit admit_;
};

caf::io::middleman_actor make_manager(caf::actor_system& system, LocalListener::Admit admit) {
  auto broker = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  const ForgetsLogger forgets;
  return system.spawn<LocalManager, caf::hidden>(std::move(broker), std::move(admit));
}

}  // namespace

LocalListener::LocalListener(caf::actor_system& system, const caf::actor& reachable, Admit admit)
    : folder_(kSocketName), path_(socket_in(folder_.path())), manager_(make_manager(system, std::move(admit))) {
  const std::string problem = publish(manager_, reachable, path_);
  if (!problem.empty())
    throw Error(ErrorCode::system, "cannot listen for worker processes: " + problem, {.object = path_});
}

LocalListener::~LocalListener() { end_publishing(manager_); }

caf::actor connect_local(caf::actor_system& system, const std::string& path, std::chrono::milliseconds timeout) {
  return connect(make_manager(system, [](pid_t) { return false; }), path, timeout);
}

}  // namespace troupe
