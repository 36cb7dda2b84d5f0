#pragma once

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/hosting.hpp"
#include "collectives/plan/plan.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

inline constexpr int kMostReplicas = 4096;  ///< the largest number of replicas of a run

/// Checks the options of a run, and sets options that the user has not set and that follow from others.
/// @throws Error invalid_argument if an option is invalid; unsupported if options cannot be combined
void check_options(Options& options, const ModelCreator& creator);

/// Checks that the algorithm's parameter servers are possible with the placement and the strategy in the options.
/// @throws Error unsupported if the algorithm cannot be combined with the strategy; invalid_argument if there are fewer
/// nodes than parameter servers
void check_servers(const Options& options);

/// Returns the properties of the run on which the work of its placement depends.
Hosting hosting_of(const Options& options);

/// Returns whether the options request periodic checkpoints.
bool is_periodic(const CheckpointOptions& options);

/// Returns the plan of the faults that the options request to inject.
/// @throws Error invalid_argument if a fault is invalid, or if it concerns a worker and the placement has no worker
/// processes
FaultPlan fault_plan_of(const Options& options);

/// Returns the request from which the run's plan is made (`make_plan`).
/// @param topology the topology of the run
PlanRequest plan_request_of(const Options& options, const Topology& topology);

}  // namespace troupe
