#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "actors/messages/messages.hpp"
#include "actors/servers/parameter_server.hpp"

namespace troupe {

/// Holds a parameter server on behalf of its actor. Another thread can take the server away from the actor at any time.
/// Thread-safe.
class HeldServer {
 public:
  explicit HeldServer(std::shared_ptr<ParameterServer> server) : server_(std::move(server)) {}

  /// Carries out `push` with the server, and returns the reply. Returns none if the server was taken away.
  std::optional<Pushed> carry_out(const Push& push);
  /// Waits until the current push is finished, and then releases this object's reference to the server. If it was the
  /// last reference, the server and its reference to the state are destroyed on the calling thread.
  void take_away();

 private:
  std::mutex mutex_;
  std::shared_ptr<ParameterServer> server_;
};

/// Returns the behavior of the actor of a parameter server. The actor accepts requests only from the driver, and
/// handles them in the order of arrival. After `HeldServer::take_away`, the actor answers no more requests.
caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::shared_ptr<HeldServer>& server,
                                     const caf::actor& driver);

}  // namespace troupe
