#pragma once

#include <memory>
#include <vector>

#include "actors/servers/parameter_server_actor.hpp"

namespace troupe {

/// The parameter servers of this process. The destructor ends them; they hold none of the state afterwards.
class LocalServers {
 public:
  LocalServers(caf::actor_system& system, caf::actor driver) : system_(system), driver_(std::move(driver)) {}
  ~LocalServers() { end(); }
  LocalServers(const LocalServers&) = delete;
  LocalServers& operator=(const LocalServers&) = delete;

  /// Starts servers in place of the previous ones.
  std::vector<caf::actor> start(const std::vector<std::shared_ptr<ParameterServer>>& servers);

 private:
  void end();

  caf::actor_system& system_;
  caf::actor driver_;
  std::vector<std::shared_ptr<HeldServer>> servers_;
  std::vector<caf::actor> actors_;
};

}  // namespace troupe
