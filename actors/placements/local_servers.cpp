#include "actors/placements/local_servers.hpp"

#include "actors/placements/host.hpp"

namespace troupe {

std::vector<caf::actor> LocalServers::start(const std::vector<std::shared_ptr<ParameterServer>>& servers) {
  end();
  servers_ = servers;
  for (const auto& server : servers_)
    actors_.push_back(system_.spawn<caf::detached>(parameter_server_actor, std::weak_ptr(server), driver_));
  return actors_;
}

void LocalServers::end() {
  for (const caf::actor& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  actors_.clear();
  servers_.clear();
}

std::vector<caf::actor> Host::start_servers(const std::vector<std::shared_ptr<ParameterServer>>& /*servers*/) {
  throw Error(ErrorCode::unsupported, "this placement has no parameter servers");
}

}  // namespace troupe
