#pragma once

#include <memory>
#include <vector>

#include "actors/servers/parameter_server_actor.hpp"

namespace troupe {

/// The parameter servers of this process, which end with this: none of them then holds any of the state.
class LocalServers {
 public:
  LocalServers(caf::actor_system& system, caf::actor driver) : system_(system), driver_(std::move(driver)) {}
  ~LocalServers() { end(); }
  LocalServers(const LocalServers&) = delete;
  LocalServers& operator=(const LocalServers&) = delete;

  /// In place of those before.
  std::vector<caf::actor> start(const std::vector<std::shared_ptr<ParameterServer>>& servers);

 private:
  void end();

  caf::actor_system& system_;
  caf::actor driver_;
  std::vector<std::shared_ptr<HeldServer>> servers_;
  std::vector<caf::actor> actors_;
};

}  // namespace troupe
