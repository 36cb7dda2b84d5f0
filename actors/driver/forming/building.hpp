#pragma once

#include <optional>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/messages/model_description.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Has workers build their missing replicas, and checks that all replicas can work together.
/// @param precision the precision of the replicas. If it is not decided yet, it is decided here, and workers that
/// compute in another precision build their replicas again.
/// @param model the description of the run's first replica; set here if there is none yet
/// @throws Error model_mismatch, protocol, or the error that a worker reported
void build_replicas(const ModelCreator& creator, const Options& options, const BuiltFor& built_for, Members& members,
                    Rounds& rounds, PrecisionDecision& precision, std::optional<ModelDescription>& model,
                    const Phase& phase);

}  // namespace troupe
