#include "actors/transport/connection_manager.hpp"

namespace troupe {
namespace {

constexpr caf::timespan kTimeout = std::chrono::seconds(10);

}  // namespace

std::string publish(const caf::io::middleman_actor& manager, const caf::actor& reachable, const std::string& path) {
  const ForgetsLogger forgets;
  caf::scoped_actor self(manager->home_system());
  std::string problem;
  self->request(manager, kTimeout, caf::publish_atom_v, kPublishedPort,
                caf::actor_cast<caf::strong_actor_ptr>(reachable), std::set<std::string>{}, path, false)
      .receive([](std::uint16_t) {}, [&](const caf::error& error) { problem = self->system().render(error); });
  return problem;
}

void end_publishing(const caf::io::middleman_actor& manager) {
  const ForgetsLogger forgets;
  caf::scoped_actor self(manager->home_system());
  self->request(manager, kTimeout, caf::close_atom_v, kPublishedPort).receive([] {}, [](const caf::error&) {});
  self->send_exit(manager, caf::exit_reason::user_shutdown);
}

caf::actor connect(const caf::io::middleman_actor& manager, const std::string& path,
                   std::chrono::milliseconds timeout) {
  const ForgetsLogger forgets;
  caf::scoped_actor self(manager->home_system());
  caf::actor found;
  std::string problem = "no actor there";
  self->request(manager, caf::timespan(timeout), caf::connect_atom_v, path, kPublishedPort)
      .receive([&](const caf::node_id&, const caf::strong_actor_ptr& actor,
                   const std::set<std::string>&) { found = caf::actor_cast<caf::actor>(actor); },
               [&](const caf::error& error) { problem = self->system().render(error); });
  self->send_exit(manager, caf::exit_reason::user_shutdown);
  if (!found) throw Error(ErrorCode::protocol, "cannot reach the driver: " + problem, {.object = path});
  return found;
}

}  // namespace troupe
