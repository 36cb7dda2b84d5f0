#pragma once

#include "troupe/sgd.hpp"

namespace troupe::bench {

/// A model with gradients that are already in memory, so that a step only adds and applies gradients. The gradient of
/// shard s is s + 1 everywhere. The model's configuration is its number of parameters.
inline constexpr const char* kReadyModel = "troupe-bench-ready";
void register_ready_model();

/// Sets the options for the model: `parameters` floats and a constant learning rate.
void prepare_ready_model(Options& options, std::size_t parameters);

/// Checks that in each of `steps` steps every weight decreased by the learning rate times the mean gradient.
/// @throws Error bad_data
void verify_ready_model(DistributedSGD& sgd, int shards, int steps);

}  // namespace troupe::bench
