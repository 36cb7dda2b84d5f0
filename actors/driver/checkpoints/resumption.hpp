#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe {

/// If the options set no number of shards, takes the number of the checkpoint that the run resumes from.
void adopt_shards(Options& options);

/// The precision that the run of the newest checkpoint has decided on, for a run that resumes with bf16 in its options.
/// None if that run has not decided.
std::optional<Precision> precision_to_resume(const Options& options);

/// Loads the first valid checkpoint and returns its path, or none if there is no valid one. Logs each damaged
/// checkpoint. Damaged checkpoints in the run's locked series are renamed, so that neither pruning nor the next run
/// counts them.
/// @param load throws Error bad_file for a damaged checkpoint
std::optional<std::string> load_first_good(const Options& options, const std::vector<std::string>& paths,
                                           const std::function<void(const std::string& path)>& load);

}  // namespace troupe
