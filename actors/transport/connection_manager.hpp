#pragma once

#include <chrono>
#include <string>

#include "actors/transport/system.hpp"

// Functions that send requests to CAF's connection managers. A connection manager is an actor that opens connections
// for CAF. These functions work with managers for every kind of connection.
namespace troupe {

/// The port number under which an actor is published. CAF identifies published actors by port numbers, but here no
/// socket is bound to the port.
inline constexpr std::uint16_t kPublishedPort = 1;

/// Makes the actor `reachable` available to peers that connect to `path`. Returns an empty string on success, and
/// otherwise the reason of the failure.
/// @param path passed on to the manager's function `open`
std::string publish(const caf::io::middleman_actor& manager, const caf::actor& reachable, const std::string& path);
/// Stops accepting connections and ends the manager. Existing connections stay.
void end_publishing(const caf::io::middleman_actor& manager);
/// Connects to `path`, returns the actor that is published there, and ends the manager. The connection stays.
/// @param path passed on to the manager's function `connect`
/// @throws Error protocol that names `path`, if there is no connection or no actor within `timeout`
caf::actor connect(const caf::io::middleman_actor& manager, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
