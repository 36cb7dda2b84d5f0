#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Returns the manifest of a checkpoint of this run.
/// @param name the model's registered name
/// @param state the names of the vectors other than the weights
/// @param rate the learning rate of the next step, if it was set by hand
CheckpointManifest manifest_of(const Options& options, const ModelDescription& model, const std::string& name,
                               const Version& version, std::optional<double> rate,
                               const std::vector<std::string>& state);

/// Checks that this run can continue from the checkpoint.
/// @param reshard whether the numbers of shards may differ. They may never differ if shards have their own optimizer
/// state.
/// @throws Error model_mismatch if the number of shards, the seed, the number of training samples, the names of the
/// state's vectors, or the optimizer differ. Learning rates may differ.
void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard);

/// Logs a warning if the results will not be bitwise identical to the results of the checkpoint's run. Another
/// precision, another library or another processor is no error, because the user may have chosen it.
void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours);

}  // namespace troupe
