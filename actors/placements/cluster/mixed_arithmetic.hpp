#pragma once

#include <span>
#include <string>

#include "actors/placements/cluster/cluster.hpp"

namespace troupe {

/// A sentence for where nodes compute with different instruction sets or libraries, which names two of them; empty
/// where all are alike. The same bits for any placement hold among equals alone.
std::string mixed_arithmetic(std::span<const ClusterNode> nodes);

}  // namespace troupe
