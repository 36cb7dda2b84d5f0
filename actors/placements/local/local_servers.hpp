#pragma once

#include <memory>
#include <vector>

#include "actors/servers/parameter_server_actor.hpp"

namespace troupe {

/// The parameter servers in this process, each with an actor. The destructor ends the actors and takes the servers away
/// from them, so that no actor uses the state afterwards.
class LocalServers {
 public:
  LocalServers(caf::actor_system& system, caf::actor driver) : system_(system), driver_(std::move(driver)) {}
  ~LocalServers() { end(); }
  LocalServers(const LocalServers&) = delete;
  LocalServers& operator=(const LocalServers&) = delete;

  /// Ends the previous servers. Starts an actor for each server in `servers`, and returns the actors in the same order.
  std::vector<caf::actor> start(const std::vector<std::shared_ptr<ParameterServer>>& servers);

 private:
  void end();

  caf::actor_system& system_;
  caf::actor driver_;
  std::vector<std::shared_ptr<HeldServer>> servers_;
  std::vector<caf::actor> actors_;
};

}  // namespace troupe
