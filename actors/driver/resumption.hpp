#pragma once

#include "troupe/sgd.hpp"

namespace troupe {

/// A run that goes on from checkpoints has their number of shards where it is told none.
void adopt_shards(Options& options);

/// On standard error: a checkpoint was not good.
void tell_damaged(const std::string& path, const Error& error);

}  // namespace troupe
