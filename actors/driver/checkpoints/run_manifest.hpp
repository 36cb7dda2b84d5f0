#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// What a checkpoint of this run says of it.
/// @param model its registered name
/// @param state names of the vectors beside the weights
/// @param rate that was set by hand, for the step after
CheckpointManifest manifest_of(const Options& options, const ModelDescription& model, const std::string& name,
                               const Version& version, std::optional<double> rate,
                               const std::vector<std::string>& state);

/// @throws Error model_mismatch for a checkpoint of a run that means something else. Rates may differ, and so may
/// everything that the bits do not depend on.
void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard);

/// Warns if the results will not be bitwise identical to those of the checkpoint's run. Another precision, another
/// library or another processor is no error: the user may want it.
void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours);

}  // namespace troupe
