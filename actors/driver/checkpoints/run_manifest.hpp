#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Makes the manifest of a checkpoint of this run.
/// @param name the model's registered name
/// @param state names of the vectors other than the weights
/// @param rate the learning rate of the next step, if it was set by hand
CheckpointManifest manifest_of(const Options& options, const ModelDescription& model, const std::string& name,
                               const Version& version, std::optional<double> rate,
                               const std::vector<std::string>& state);

/// @throws Error model_mismatch if the checkpoint is from a run with a different meaning. Learning rates may differ,
/// and so may everything that does not affect the results.
void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard);

/// Warns if the results will not be bitwise identical to those of the checkpoint's run. Another precision, another
/// library or another processor is no error: the user may want it.
void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours);

}  // namespace troupe
