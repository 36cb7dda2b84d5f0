#include "actors/placements/local/local_servers.hpp"

#include "actors/placements/host.hpp"

namespace troupe {

std::vector<caf::actor> LocalServers::start(const std::vector<std::shared_ptr<ParameterServer>>& servers) {
  end();
  const ForgetsLogger forgets;
  for (const auto& server : servers) {
    servers_.push_back(std::make_shared<HeldServer>(server));
    before_send();
    actors_.push_back(system_.spawn<caf::detached>(parameter_server_actor, servers_.back(), driver_));
  }
  return actors_;
}

void LocalServers::end() {
  for (const caf::actor& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  for (const auto& server : servers_) server->take_away();
  actors_.clear();
  servers_.clear();
}

std::vector<caf::actor> Host::start_servers(const std::vector<std::shared_ptr<ParameterServer>>& /*servers*/) {
  throw Error(ErrorCode::unsupported, "this placement has no parameter servers");
}

}  // namespace troupe
