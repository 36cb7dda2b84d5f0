#pragma once

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

/// In the log: a checkpoint was not good.
void tell_damaged(const std::string& path, const Error& error);

/// Damaged checkpoints in the series that the run has the lock of get a name that neither pruning nor the next run
/// counts. @param damaged their paths
void set_aside(const Options& options, const std::vector<std::string>& damaged);

}  // namespace troupe
