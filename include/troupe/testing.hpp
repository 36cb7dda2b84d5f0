#pragma once

// Faults that tests inject into a run: values for FaultToleranceOptions::faults. Each fault happens once, at the start
// of phase `phase` of step `step`. Steps count from 1. Phases have the same names as in errors, such as "compute" or
// "apply". The constructor of DistributedSGD throws Error invalid_argument if a fault is out of range or not possible
// with the placement. Faults of workers need placement `processes`.

#include <cstdint>
#include <string>
#include <variant>

namespace troupe::testing {

/// Kills the process of worker `worker`.
struct KillWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Stops the process of worker `worker` (SIGSTOP), so that it no longer answers.
struct StopWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Slows down the process of worker `worker` by a factor.
struct SlowWorker {
  int worker = 0;
  int factor = 10;  ///< 2 to 100
  std::int64_t step = 1;
  /// Number of the step from which on the worker has its normal speed again. 0 (default): never.
  std::int64_t until = 0;
  std::string phase = "compute";
};

/// Cuts the connection between the driver and a node. Requires placement `cluster`.
struct CutNode {
  int node = 0;  ///< number of the node, in order of names
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// Lets the first checkpoint that is started at or after step `step` fail, as if the disk were full. Works with any
/// placement.
struct FullDisk {
  std::int64_t step = 1;
};

/// Kills worker processes at random, `count` times. The worker, the step and the phase of each kill are drawn from the
/// seed.
struct RandomKills {
  std::int64_t count = 1;
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

/// Slows down one worker process in each step from `first_step` to `last_step`. The worker of each step is drawn from
/// the seed, and differs from the worker of the previous step.
struct RandomSlowness {
  int factor = 5;  ///< 2 to 100
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

/// One of the faults above.
using Fault = std::variant<KillWorker, StopWorker, SlowWorker, CutNode, FullDisk, RandomKills, RandomSlowness>;

}  // namespace troupe::testing
