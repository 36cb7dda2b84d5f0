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

/// What a rank of a trial does; its communicator leaves when this returns or throws.
using RankWork = std::function<void(Group& group)>;

/// Where each rank is; all on node 0: over memory of a store, as backend `store`; else as `data-plane`, over a network
/// within this process.
using NodeOfRank = std::vector<std::int32_t>;
std::string text_of(const NodeOfRank& nodes);
/// Of so many ranks: all on one machine, and on several nodes.
std::vector<NodeOfRank> places_of(std::size_t size);

/// Runs ranks on threads of this process. Returns, by rank, with what each ended.
std::vector<std::optional<Error>> run_ranks(const NodeOfRank& nodes, const RankWork& work,
                                            std::chrono::milliseconds timeout = std::chrono::seconds(20));
/// The same, where none is to end with an error.
void run_ranks_well(const NodeOfRank& nodes, const RankWork& work);

}  // namespace troupe
