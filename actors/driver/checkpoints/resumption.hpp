#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe {

/// If `options.num_shards` is 0 and the run resumes from a checkpoint, sets it to the number of shards in the
/// checkpoint.
void adopt_shards(Options& options);

/// Returns the precision that the earlier run chose between bf16 and f32, according to its newest checkpoint. Returns
/// none if this run does not resume, or if the earlier run did not have to choose. Called if this run has bf16 in its
/// options.
std::optional<Precision> precision_to_resume(const Options& options);

/// Loads the first valid checkpoint of `paths`, and returns its path. Returns none if there is no valid checkpoint.
/// Logs each damaged checkpoint. If a checkpoint was loaded, renames damaged checkpoints in the run's own series, so
/// that they are ignored from then on.
/// @param load a function that loads the checkpoint at `path`; throws Error bad_file if the checkpoint is damaged
std::optional<std::string> load_first_good(const Options& options, const std::vector<std::string>& paths,
                                           const std::function<void(const std::string& path)>& load);

}  // namespace troupe
