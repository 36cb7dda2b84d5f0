#pragma once

#include <span>
#include <string>

#include "actors/placements/cluster/cluster.hpp"

namespace troupe {

/// Checks whether all nodes compute with the same instruction set and libraries. Returns an empty string if they do,
/// and otherwise a warning that names two nodes that differ. If nodes differ, the results of the run may not be bitwise
/// identical to the results with another placement.
std::string mixed_arithmetic(std::span<const ClusterNode> nodes);

}  // namespace troupe
