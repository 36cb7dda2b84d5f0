#pragma once

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/hosting.hpp"
#include "collectives/plan/plan.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

inline constexpr int kMostReplicas = 4096;  ///< that one run can have

/// Fills in what follows from other options. @throws Error invalid_argument or unsupported for those that make no
/// sense.
void check_options(Options& options, const ModelCreator& creator);

/// What the algorithm asks of where workers are. @throws Error unsupported, or invalid_argument
void check_servers(const Options& options);

/// What the run's placement has to know of it.
Hosting hosting_of(const Options& options);

/// Whether checkpoints are made without being asked for.
bool is_periodic(const CheckpointOptions& options);

/// @throws Error invalid_argument for a plan that makes no sense, or where there are no processes to end.
FaultPlan fault_plan_of(const Options& options);

/// @param topology of the run
PlanRequest plan_request_of(const Options& options, const Topology& topology);

}  // namespace troupe
