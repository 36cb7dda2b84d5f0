#pragma once

#include <string>

#include "actors/messages/messages.hpp"

namespace troupe {

/// Checks the message with which a node joins. Returns the reason why it is not valid; an empty string if it is valid.
///
/// The address that the node announces must be numeric, so that no other node has to resolve a name that this node
/// chose. Other nodes must be able to connect to the address. A loopback or link-local address is valid only if the
/// control connection comes from such an address, too.
/// @param peer the address from which the control connection comes
std::string join_problem(const NodeJoin& join, const std::string& peer);

}  // namespace troupe
