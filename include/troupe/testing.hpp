#pragma once

// Fault injection for tests: values for FaultToleranceOptions::faults. Each fault happens once, at the start of the
// given phase of the given step. Steps count from 1. Phases have the same names as in errors, such as "compute" or
// "apply". The constructor of DistributedSGD throws Error invalid_argument for faults that are out of range or not
// possible with the placement; faults of workers need placement `processes`.

#include <cstdint>
#include <string>
#include <variant>

namespace troupe::testing {

/// Kills a worker process.
struct KillWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Stops a worker process, which then no longer answers.
struct StopWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Slows down a worker process by a factor.
struct SlowWorker {
  int worker = 0;
  int factor = 10;  ///< 2 to 100
  std::int64_t step = 1;
  /// The step at which the worker has its normal speed again. 0 (default): never.
  std::int64_t until = 0;
  std::string phase = "compute";
};

/// Cuts the connection between the driver and a node. Requires placement `cluster`.
struct CutNode {
  int node = 0;  ///< number of the node, in order of names
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Lets the first checkpoint that starts at or after this step fail with a full disk. Works with any placement.
struct FullDisk {
  std::int64_t step = 1;
};

/// Kills worker processes at random: `count` times, each with a worker, a step and a phase drawn from the seed.
struct RandomKills {
  std::int64_t count = 1;
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

/// Slows down one worker process in each step from `first_step` to `last_step`. The worker is drawn from the seed and
/// differs from the worker of the previous step.
struct RandomSlowness {
  int factor = 5;  ///< 2 to 100
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

/// A fault to inject.
using Fault = std::variant<KillWorker, StopWorker, SlowWorker, CutNode, FullDisk, RandomKills, RandomSlowness>;

}  // namespace troupe::testing
