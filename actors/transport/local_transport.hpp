#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "actors/transport/socket_folder.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// Makes an actor reachable for processes of this machine over an AF_UNIX socket, without a port. The socket is in a
/// folder that only this user can enter, and admits only processes that `admit` accepts. It is removed with this
/// object; existing connections stay.
class LocalListener {
 public:
  using Admit = std::function<bool(pid_t)>;

  /// @throws Error system
  LocalListener(caf::actor_system& system, const caf::actor& reachable, Admit admit);
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  const std::string& path() const { return path_; }

 private:
  SocketFolder folder_;
  std::string path_;
  caf::io::middleman_actor manager_;
};

/// Returns the actor behind the socket.
/// @throws Error protocol or timeout
caf::actor connect_local(caf::actor_system& system, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
