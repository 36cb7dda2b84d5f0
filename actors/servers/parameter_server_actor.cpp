#include "actors/servers/parameter_server_actor.hpp"

#include "actors/messages/obey.hpp"

namespace troupe {

caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::weak_ptr<ParameterServer>& server,
                                     const caf::actor& driver) {
  return {obey<Push>(self, driver, [=](const Push& push) {
    after_receive();
    const auto kept = server.lock();
    if (!kept) return;
    Pushed pushed;
    try {
      pushed = kept->carry_out(push);
    } catch (...) {
      pushed.round = push.round;
      pushed.failure = Failure::from(std::current_exception(), ErrorCode::system);
    }
    before_send();
    self->send(driver, std::move(pushed));
  })};
}

}  // namespace troupe
