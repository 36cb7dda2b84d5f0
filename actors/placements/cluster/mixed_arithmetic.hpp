#pragma once

#include <span>
#include <string>

#include "actors/placements/cluster/cluster.hpp"

namespace troupe {

/// Returns a sentence that names two nodes if nodes compute with different instruction sets or libraries; empty if all
/// are alike. Results are bitwise identical for all placements only among equal nodes.
std::string mixed_arithmetic(std::span<const ClusterNode> nodes);

}  // namespace troupe
