#pragma once

#include "troupe/sgd.hpp"

namespace troupe::bench {

/// A model whose gradients are there already: what remains of a step is adding and applying them. The gradient of
/// shard s is s + 1 everywhere. Its configuration is its number of parameters.
inline constexpr const char* kReadyModel = "troupe-bench-ready";
void register_ready_model();

/// Options for it: `parameters` floats, a constant rate.
void prepare_ready_model(Options& options, std::size_t parameters);

/// Checks that after `steps` steps every weight went down by rate x mean gradient at each.
/// @throws Error bad_data
void verify_ready_model(DistributedSGD& sgd, int shards, int steps);

}  // namespace troupe::bench
