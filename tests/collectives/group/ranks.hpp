#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/group/shared_communicator.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// What a rank of a trial does; its communicator leaves when this returns or throws.
using RankWork = std::function<void(Group& group)>;

/// Runs ranks on threads of this process, over memory of a store. Returns, by rank, with what each ended.
std::vector<std::optional<Error>> run_ranks(int size, const RankWork& work,
                                            std::chrono::milliseconds timeout = std::chrono::seconds(20));
/// The same, where none is to end with an error.
void run_ranks_well(int size, const RankWork& work);

}  // namespace troupe
