#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe {

/// If the options set no number of shards, sets it to the number of the checkpoint from which the run resumes.
void adopt_shards(Options& options);

/// Returns the precision on which the run of the newest checkpoint has decided, or none if that run has not decided.
/// For a run that resumes with bf16 in its options.
std::optional<Precision> precision_to_resume(const Options& options);

/// Loads the first valid checkpoint of `paths` and returns its path, or none if there is no valid checkpoint. Logs each
/// damaged checkpoint. Damaged checkpoints in the run's own series are renamed, so that neither pruning nor the next
/// run counts them.
/// @param load loads a checkpoint; throws Error bad_file if it is damaged
std::optional<std::string> load_first_good(const Options& options, const std::vector<std::string>& paths,
                                           const std::function<void(const std::string& path)>& load);

}  // namespace troupe
