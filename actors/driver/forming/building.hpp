#pragma once

#include <optional>
#include <vector>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/messages/model_description.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Requests `workers` to build their replicas, and checks that all replicas of the run can work together.
/// @param precision the precision of the replicas. If it is not decided yet, this function decides it. Workers that
/// compute in another precision then build their replicas again.
/// @param model the description of the run's model; set by this function if it is empty
/// @throws Error model_mismatch if the replicas do not match; protocol if a reply is invalid; or the error that a
/// worker has reported
void build_replicas(const std::vector<int>& workers, const ModelCreator& creator, const Options& options,
                    const BuiltFor& built_for, Members& members, Rounds& rounds, PrecisionDecision& precision,
                    std::optional<ModelDescription>& model, const Phase& phase);

}  // namespace troupe
