#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "troupe/workers.hpp"

namespace troupe {

/// Returns whether all workers of a placement are on this machine.
bool on_one_machine(Placement placement);

/// What a placement must know about a run, or about a trainer's workers.
struct Hosting {
  Placement placement = Placement::in_process;
  ClusterOptions cluster = ClusterOptions();
  int num_workers = 1;  ///< the maximum number
  int devices_per_worker = 1;
  int num_shards = 1;
  int store_files = 0;  ///< files of the object store that one process keeps open
  bool writes_checkpoints = false;
  std::size_t store_bytes = 0;                 ///< MemoryOptions::store_bytes
  std::chrono::milliseconds end_time{0};       ///< how long workers of this process may take to end
  std::chrono::milliseconds suspect_after{0};  ///< this and the next: see FaultToleranceOptions
  std::chrono::milliseconds cut_after{0};
  std::string optimizer = {};  ///< OptimizerSettings as JSON, for parameter servers of nodes
  bool verbose = true;         ///< Options::verbose
};

}  // namespace troupe
