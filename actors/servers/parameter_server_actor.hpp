#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "actors/messages/messages.hpp"
#include "actors/servers/parameter_server.hpp"

namespace troupe {

/// Holds a parameter server for its actor. Another thread can take the server away, even while the actor uses it.
class HeldServer {
 public:
  explicit HeldServer(std::shared_ptr<ParameterServer> server) : server_(std::move(server)) {}

  /// Carries out a push. Returns none if the server was taken away.
  std::optional<Pushed> carry_out(const Push& push);
  /// Waits for the current push, then releases the server. If this was the last reference, the state is released on the
  /// calling thread.
  void take_away();

 private:
  std::mutex mutex_;
  std::shared_ptr<ParameterServer> server_;
};

/// Returns the behavior of a parameter server's actor. The actor accepts requests of the driver only, and handles them
/// in order. After its server is taken away, it answers no requests.
caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::shared_ptr<HeldServer>& server,
                                     const caf::actor& driver);

}  // namespace troupe
