#pragma once

#include <string>

#include "actors/messages/messages.hpp"

namespace troupe {

/// Checks the message with which a node joins. Returns the reason why the message is invalid; an empty string if it is
/// valid.
///
/// The address that the node announces must be numeric, so that no other node has to resolve a host name that this node
/// has chosen. Other nodes must be able to connect to this address. A loopback or link-local address is valid only if
/// the node's control connection comes from an address of the same kind.
/// @param peer the address from which the node's control connection comes
std::string join_problem(const NodeJoin& join, const std::string& peer);

}  // namespace troupe
