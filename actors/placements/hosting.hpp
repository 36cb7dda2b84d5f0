#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "troupe/workers.hpp"

namespace troupe {

/// Returns true if, with this placement, all workers run on the driver's machine.
bool on_one_machine(Placement placement);

/// The properties of a run, or of the workers of a trainer, on which the work of a placement depends.
struct Hosting {
  Placement placement = Placement::in_process;
  ClusterOptions cluster = ClusterOptions();
  int min_workers = 1;       ///< the minimum number of workers
  int num_workers = 1;       ///< the maximum number of workers
  int cores_per_worker = 1;  ///< in a cluster, if the number of workers is a range: there is a worker for this many
                             ///< cores of a node
  int devices_per_worker = 1;
  int num_shards = 1;
  int store_files = 0;  ///< the number of files of the object store that one process keeps open
  bool writes_checkpoints = false;
  std::size_t store_bytes = 0;  ///< MemoryOptions::store_bytes
  std::chrono::milliseconds end_time{
      0};  ///< the maximum time for which the driver waits until workers of its process have ended
  std::chrono::milliseconds suspect_after{0};  ///< FaultToleranceOptions::suspect_after
  /// The value of FaultToleranceOptions::cut_after.
  std::chrono::milliseconds cut_after{0};
  std::string optimizer = {};  ///< OptimizerSettings as JSON; nodes with parameter servers need it
  bool verbose = true;         ///< Options::verbose
};

}  // namespace troupe
