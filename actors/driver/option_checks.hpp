#pragma once

#include "actors/driver/faults/fault_plan.hpp"
#include "collectives/plan/plan.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Fills in what follows from other options. @throws Error invalid_argument or unsupported for those that make no
/// sense.
void check_options(Options& options, const ModelCreator& creator);

/// Whether checkpoints are made without being asked for.
bool is_periodic(const CheckpointOptions& options);

/// Of checked options, as the next. @throws Error invalid_argument for a plan that makes no sense, or where there are
/// no processes to end.
FaultPlan fault_plan_of(const Options& options);

/// @param topology of the run
PlanRequest plan_request_of(const Options& options, const Topology& topology);

}  // namespace troupe
