#pragma once

#include <string>

#include "actors/messages/messages.hpp"

namespace troupe {

/// Returns why a node's join is not valid; empty if it is. The address that the node announces must be numeric, because
/// every other node would have to look up a name. Other nodes must be able to dial it. A loopback or link-local address
/// is valid only if the control connection comes from such an address, too.
/// @param peer the host from which the control connection comes
std::string join_problem(const NodeJoin& join, const std::string& peer);

}  // namespace troupe
