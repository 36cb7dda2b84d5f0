#include "actors/local_transport.hpp"

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
#include <filesystem>

#include "runtime/file_descriptor.hpp"

namespace troupe {
namespace {

/// CAF names what is published by port numbers; nothing is bound to this one.
constexpr std::uint16_t kPort = 1;
constexpr const char* kSocketName = "/driver";
constexpr caf::timespan kManagerPatience = std::chrono::seconds(10);

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw Error(ErrorCode::system, "the folder for temporary files has too long a name for a socket", {.object = path});
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

FileDescriptor make_socket() {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw_errno("socket");
  return socket;
}

void set_non_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

bool admitted(int fd, const LocalListener::Admit& admit) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid() && admit(peer.pid);
}

/// Accepts connections on an AF_UNIX socket. CAF would fall over garbage, so who may not speak is not heard at all.
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
  std::uint16_t port() const override { return kPort; }

 private:
  LocalListener::Admit admit_;
};

/// CAF's connection manager, with AF_UNIX sockets in place of TCP: `host` is a path, and for `open` too.
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
  return system.spawn<LocalManager, caf::hidden>(std::move(broker), std::move(admit));
}

std::string make_private_folder() {
  std::error_code failed;
  const auto parent = std::filesystem::temp_directory_path(failed);
  if (failed) throw Error(ErrorCode::system, "no folder for temporary files (TMPDIR): " + failed.message());
  std::string name = (parent / "troupe-XXXXXX").string();
  address_of(name + kSocketName);
  if (::mkdtemp(name.data()) == nullptr)
    throw_errno(("cannot make a folder for a socket in " + parent.string()).c_str());
  return name;
}

}  // namespace

LocalListener::LocalListener(caf::actor_system& system, const caf::actor& reachable, Admit admit)
    : folder_(make_private_folder()), path_(folder_ + kSocketName), manager_(make_manager(system, std::move(admit))) {
  caf::scoped_actor self(system);
  std::string problem;
  self->request(manager_, kManagerPatience, caf::publish_atom_v, kPort,
                caf::actor_cast<caf::strong_actor_ptr>(reachable), std::set<std::string>{}, path_, false)
      .receive([](std::uint16_t) {}, [&](const caf::error& error) { problem = self->system().render(error); });
  if (problem.empty()) return;
  std::filesystem::remove_all(folder_);
  throw Error(ErrorCode::system, "cannot listen for worker processes: " + problem, {.object = path_});
}

LocalListener::~LocalListener() {
  caf::scoped_actor self(manager_->home_system());
  self->request(manager_, kManagerPatience, caf::close_atom_v, kPort).receive([] {}, [](const caf::error&) {});
  self->send_exit(manager_, caf::exit_reason::user_shutdown);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

caf::actor connect_local(caf::actor_system& system, const std::string& path, std::chrono::milliseconds timeout) {
  const auto manager = make_manager(system, [](pid_t) { return false; });
  caf::scoped_actor self(system);
  caf::actor found;
  std::string problem = "no actor there";
  self->request(manager, caf::timespan(timeout), caf::connect_atom_v, path, kPort)
      .receive([&](const caf::node_id&, const caf::strong_actor_ptr& actor,
                   const std::set<std::string>&) { found = caf::actor_cast<caf::actor>(actor); },
               [&](const caf::error& error) { problem = self->system().render(error); });
  self->send_exit(manager, caf::exit_reason::user_shutdown);
  if (!found) throw Error(ErrorCode::protocol, "cannot reach the driver: " + problem, {.object = path});
  return found;
}

}  // namespace troupe
