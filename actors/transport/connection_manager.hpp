#pragma once

#include <chrono>
#include <string>

#include "actors/transport/system.hpp"

// Functions that send requests to a connection manager. A connection manager is an actor of CAF that opens connections.
// The functions work with connection managers for AF_UNIX sockets and for TLS.
namespace troupe {

/// The port number under which an actor is published. CAF identifies published actors by port numbers, but Troupe binds
/// no socket to this port.
inline constexpr std::uint16_t kPublishedPort = 1;

/// Makes the actor `reachable` available to peers that connect to `path`. Returns an empty string on success, and
/// otherwise the reason of the failure.
/// @param manager the connection manager that accepts the connections
/// @param path the argument for the manager's function `open`, such as the path of a socket
std::string publish(const caf::io::middleman_actor& manager, const caf::actor& reachable, const std::string& path);
/// Makes `manager` accept no more connections, and ends the manager. Existing connections stay open.
void end_publishing(const caf::io::middleman_actor& manager);
/// Connects to `path`, returns the actor that the peer has published there, and ends the manager. The connection stays
/// open.
/// @param path the argument for the manager's function `connect`, such as the path of a socket
/// @throws Error protocol that names `path`, if the connection fails or the actor is not known within `timeout`
caf::actor connect(const caf::io::middleman_actor& manager, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
