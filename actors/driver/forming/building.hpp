#pragma once

#include <optional>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/messages/model_description.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Has workers build their replicas where they have none, and checks that these can work together.
/// @param precision what they are to compute in; is decided here where it is open, and who then computes in another has
/// replicas built once more
/// @param model what the run's first replica was like; none before there was one, and then it is filled in.
/// @throws Error model_mismatch, protocol, or what a worker failed with
void build_replicas(const ModelCreator& creator, const Options& options, const BuiltFor& built_for, Members& members,
                    Rounds& rounds, PrecisionDecision& precision, std::optional<ModelDescription>& model,
                    const Phase& phase);

}  // namespace troupe
