#pragma once

#include <chrono>
#include <string>

#include "actors/transport/system.hpp"

// Asking CAF's connection managers, whatever their connections are made of.
namespace troupe {

/// CAF names what is published by port numbers; nothing is bound to this one.
inline constexpr std::uint16_t kPublishedPort = 1;

/// Lets peers of the manager reach an actor. Why that failed; empty when it did not.
std::string publish(const caf::io::middleman_actor& manager, const caf::actor& reachable, const std::string& path);
/// Nobody new reaches it, and the manager ends; connections that were made stay.
void end_publishing(const caf::io::middleman_actor& manager);
/// The actor that is published at the other end; the manager ends. @throws Error protocol naming `path`
caf::actor connect(const caf::io::middleman_actor& manager, const std::string& path, std::chrono::milliseconds timeout);

}  // namespace troupe
