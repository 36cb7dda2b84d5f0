#pragma once

#include <memory>
#include <vector>

#include "actors/servers/parameter_server_actor.hpp"

namespace troupe {

/// Runs the parameter servers in this process, each as an actor. The destructor ends the actors and takes their servers
/// away, so that afterwards no actor uses the state.
class LocalServers {
 public:
  LocalServers(caf::actor_system& system, caf::actor driver) : system_(system), driver_(std::move(driver)) {}
  ~LocalServers() { end(); }
  LocalServers(const LocalServers&) = delete;
  LocalServers& operator=(const LocalServers&) = delete;

  /// Ends the actors of previous servers. Then starts one actor for each server in `servers`, and returns the actors in
  /// the same order.
  std::vector<caf::actor> start(const std::vector<std::shared_ptr<ParameterServer>>& servers);

 private:
  void end();

  caf::actor_system& system_;
  caf::actor driver_;
  std::vector<std::shared_ptr<HeldServer>> servers_;
  std::vector<caf::actor> actors_;
};

}  // namespace troupe
