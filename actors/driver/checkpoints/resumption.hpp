#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe {

/// A run that goes on from checkpoints has their number of shards where it is told none.
void adopt_shards(Options& options);

/// What a run goes on to compute in that is asked for bf16, where the run that wrote its newest checkpoint has decided
/// that.
std::optional<Precision> precision_to_resume(const Options& options);

/// Loads the first of these checkpoints that verifies, and says which; none where none does. What does not verify is
/// told in the log and, in the series that the run has the lock of, gets a name that neither pruning nor the next run
/// counts.
/// @param load throws Error bad_file for what does not verify
std::optional<std::string> load_first_good(const Options& options, const std::vector<std::string>& paths,
                                           const std::function<void(const std::string& path)>& load);

}  // namespace troupe
