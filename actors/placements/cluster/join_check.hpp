#pragma once

#include <string>

#include "actors/messages/messages.hpp"

namespace troupe {

/// Why a node cannot be what it says in its join; empty when it can. Where it listens must be an address, since names
/// would be looked up on every other node; one that others can dial; and of this machine or of one network without
/// routers (loopback, link-local) only where the node's control connection comes from such an address, too.
/// @param peer the host that the control connection comes from.
std::string join_problem(const NodeJoin& join, const std::string& peer);

}  // namespace troupe
