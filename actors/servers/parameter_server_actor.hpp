#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "actors/messages/messages.hpp"
#include "actors/servers/parameter_server.hpp"

namespace troupe {

/// A server that can be taken away from its actor, though that may be at work on it just then.
class HeldServer {
 public:
  explicit HeldServer(std::shared_ptr<ParameterServer> server) : server_(std::move(server)) {}

  /// None where it was taken away.
  std::optional<Pushed> carry_out(const Push& push);
  /// Once what is being carried out is done. The state that the server holds goes with it, in the thread that calls.
  void take_away();

 private:
  std::mutex mutex_;
  std::shared_ptr<ParameterServer> server_;
};

/// Obeys the driver alone, and does what it is told in order, until its server is taken away.
caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::shared_ptr<HeldServer>& server,
                                     const caf::actor& driver);

}  // namespace troupe
