#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "actors/transport/socket_folder.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// Makes an actor reachable for other processes of this machine, over an AF_UNIX socket. No network port is opened. The
/// socket is in a folder that only this user can enter, and only processes that the function `admit` accepts may
/// connect. The destructor removes the socket; existing connections stay open.
class LocalListener {
 public:
  /// A function that takes the id of a process, and returns true if this process may connect. Runs on CAF's thread.
  using Admit = std::function<bool(pid_t)>;

  /// @param reachable the actor that other processes can reach
  /// @throws Error system if the socket cannot be created
  LocalListener(caf::actor_system& system, const caf::actor& reachable, Admit admit);
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// Returns the path of the socket.
  const std::string& path() const { return path_; }

 private:
  SocketFolder folder_;
  std::string path_;
  caf::io::middleman_actor manager_;
};

/// Connects to the socket of a LocalListener in another process, and returns the actor that the listener makes
/// reachable.
/// @param path the path of the socket
/// @throws Error protocol if there is no connection within `timeout`
caf::actor connect_local(caf::actor_system& system, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
