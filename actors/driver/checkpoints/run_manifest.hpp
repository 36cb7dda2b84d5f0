#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Returns the manifest for a checkpoint of this run.
/// @param name the model's registered name
/// @param state the names of the checkpoint's vectors in addition to the weights
/// @param rate the learning rate of the next step, if the user has set it (`set_learning_rate`)
CheckpointManifest manifest_of(const Options& options, const ModelDescription& model, const std::string& name,
                               const Version& version, std::optional<double> rate,
                               const std::vector<std::string>& state);

/// Checks that this run can continue from the checkpoint at `path`.
/// @param theirs the manifest of the checkpoint
/// @param ours a manifest that this run would write
/// @param reshard whether the number of shards may differ from the checkpoint's. If each shard has an optimizer state
/// of its own, it may never differ.
/// @throws Error model_mismatch if the number of shards, the seed, the number of training samples, the names of the
/// state's vectors, or the optimizer differ. Learning rates may differ.
void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard);

/// Logs a warning if this run computes with another precision, library or processor than the run that wrote the
/// checkpoint. Then the results will not be bitwise identical to the results of that run. The difference is not an
/// error, because the user may have intended it.
void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours);

}  // namespace troupe
