#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/group/communicator.hpp"
#include "troupe/error.hpp"
#include "troupe/group.hpp"

namespace troupe {

/// The function of a rank. The rank's communicator leaves the group when this function returns or throws.
using RankWork = std::function<void(Group& group)>;

/// The node of each rank. If all ranks are on node 0, the group uses the memory of a store (backend `store`). Otherwise
/// the group uses the backend `data-plane`, over a network within this process.
using NodeOfRank = std::vector<std::int32_t>;
std::string text_of(const NodeOfRank& nodes);
/// Returns placements for `size` ranks: all on one machine, and on several nodes.
std::vector<NodeOfRank> places_of(std::size_t size);

/// Runs the ranks on threads of this process. Returns the error of each rank, if any.
std::vector<std::optional<Error>> run_ranks(const NodeOfRank& nodes, const RankWork& work,
                                            std::chrono::milliseconds timeout = std::chrono::seconds(20));
/// As run_ranks, but checks that no rank ends with an error.
void run_ranks_well(const NodeOfRank& nodes, const RankWork& work);

}  // namespace troupe
