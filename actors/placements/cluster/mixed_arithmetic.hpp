#pragma once

#include <span>
#include <string>

#include "actors/placements/cluster/cluster.hpp"

namespace troupe {

/// Checks whether all nodes compute with the same instruction set and libraries. Returns an empty string if they do,
/// and otherwise a warning that names two different nodes. If nodes differ, results may not be bitwise identical to
/// results of other placements.
std::string mixed_arithmetic(std::span<const ClusterNode> nodes);

}  // namespace troupe
