#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/driver/run.hpp"
#include "models/files/checkpoint/manifest.hpp"

namespace troupe {

/// Returns the manifest for a checkpoint of `version` of the run.
/// @param saved the names of the checkpoint's vectors in addition to the weights
CheckpointManifest manifest_of(const Run& run, const Version& version, const std::vector<std::string>& saved);

/// Loads the checkpoint at `path` and commits its state. If the user had set a learning rate before the checkpoint was
/// written, returns this rate, which also applies to the steps after it. Otherwise returns none.
/// @throws Error bad_file if the checkpoint is damaged; model_mismatch if it belongs to another run
std::optional<double> load_checkpoint(Run& run, const std::string& path);

/// Begins the lineage of a run. If the options request it, loads the newest valid checkpoint of the run's folder.
/// @throws Error bad_file if all checkpoints of the folder are damaged
void resume(Run& run);

}  // namespace troupe
