#pragma once

#include <chrono>
#include <string>

#include "actors/transport/system.hpp"

// Requests to CAF's connection managers, independent of the kind of connection.
namespace troupe {

/// CAF identifies published actors by port numbers. No socket is bound to this one.
inline constexpr std::uint16_t kPublishedPort = 1;

/// Makes an actor reachable for peers of the manager. Returns the reason of a failure; empty on success.
std::string publish(const caf::io::middleman_actor& manager, const caf::actor& reachable, const std::string& path);
/// Stops publishing and ends the manager. Existing connections stay.
void end_publishing(const caf::io::middleman_actor& manager);
/// Returns the actor that is published at the other end, and ends the manager.
/// @throws Error protocol that names `path`
caf::actor connect(const caf::io::middleman_actor& manager, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
