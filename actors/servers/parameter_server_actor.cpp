#include "actors/servers/parameter_server_actor.hpp"

#include "actors/messages/obey.hpp"

namespace troupe {

std::optional<Pushed> HeldServer::carry_out(const Push& push) {
  const std::lock_guard lock(mutex_);
  if (!server_) return std::nullopt;
  return server_->carry_out(push);
}

void HeldServer::take_away() {
  const std::lock_guard lock(mutex_);
  server_.reset();
}

caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::shared_ptr<HeldServer>& server,
                                     const caf::actor& driver) {
  const auto turns = std::make_shared<ActorTurns>();
  const ActorTurns::Turn turn(*turns);
  return {obey<Push>(self, driver, turns, [=](const Push& push) {
    Pushed pushed;
    try {
      auto done = server->carry_out(push);
      if (!done) return;
      pushed = std::move(*done);
    } catch (...) {
      pushed.round = push.round;
      pushed.failure = Failure::from(std::current_exception(), ErrorCode::system);
    }
    self->send(driver, ready_to_send(std::move(pushed)));
  })};
}

}  // namespace troupe
