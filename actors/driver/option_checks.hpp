#pragma once

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/hosting.hpp"
#include "collectives/plan/plan.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

inline constexpr int kMostReplicas = 4096;  ///< the largest number of replicas of a run

/// Checks the options, and sets options that follow from others.
/// @throws Error invalid_argument or unsupported for invalid options
void check_options(Options& options, const ModelCreator& creator);

/// Checks that the placement can host the algorithm's parameter servers.
/// @throws Error unsupported or invalid_argument if it cannot
void check_servers(const Options& options);

/// Returns the properties of the run that its placement needs.
Hosting hosting_of(const Options& options);

/// Returns whether checkpoints are made periodically.
bool is_periodic(const CheckpointOptions& options);

/// Returns the plan of the faults in the options.
/// @throws Error invalid_argument for an invalid plan, or if there are faults of workers but no worker processes
FaultPlan fault_plan_of(const Options& options);

/// Returns the request for the run's plan.
/// @param topology the run's topology
PlanRequest plan_request_of(const Options& options, const Topology& topology);

}  // namespace troupe
