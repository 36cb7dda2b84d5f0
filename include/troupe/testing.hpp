#pragma once

#include <cstdint>
#include <string>
#include <variant>

// What is to go wrong in a run on purpose, for tests of what follows: values for `FaultToleranceOptions::faults`. Each
// happens once, when its phase of its step begins. Steps count from 1. A phase is named as errors name it, such as
// "compute" or "apply".
namespace troupe::testing {

/// A worker process dies.
struct KillWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// A worker process does not answer any more.
struct StopWorker {
  int worker = 0;
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// A worker process runs so many times slower.
struct SlowWorker {
  int worker = 0;
  int factor = 10;  ///< 2 to 100
  std::int64_t step = 1;
  std::int64_t until = 0;  ///< step with which it has its own speed again; 0: never
  std::string phase = "compute";
};

/// Driver and node hear nothing of each other any more. Placement `cluster`.
struct CutNode {
  int node = 0;  ///< in order of name
  std::int64_t step = 1;
  std::string phase = "compute";
};

/// The first checkpoint begun after that step, or a later one, finds no space on the disk. Any placement.
struct FullDisk {
  std::int64_t step = 1;
};

/// So many deaths of worker processes, of workers, steps and phases drawn from the seed.
struct RandomKills {
  std::int64_t count = 1;
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

/// In each of these steps another worker process is so many times slower, drawn from the seed.
struct RandomSlowness {
  int factor = 5;  ///< 2 to 100
  std::int64_t first_step = 1;
  std::int64_t last_step = 1;
  std::uint64_t seed = 1;
};

using Fault = std::variant<KillWorker, StopWorker, SlowWorker, CutNode, FullDisk, RandomKills, RandomSlowness>;

}  // namespace troupe::testing
