#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "troupe/workers.hpp"

namespace troupe {

/// Whether all workers of such a placement are on this machine.
bool on_one_machine(Placement placement);

/// What a placement has to know of a run, or of a trainer's workers.
struct Hosting {
  Placement placement = Placement::in_process;
  ClusterOptions cluster = ClusterOptions();
  int num_workers = 1;  ///< at most
  int devices_per_worker = 1;
  int num_shards = 1;
  int store_files = 0;  ///< of the object store's, that one process has open
  bool writes_checkpoints = false;
  std::size_t store_bytes = 0;                 ///< MemoryOptions::store_bytes
  std::chrono::milliseconds end_time{0};       ///< that workers of this process may take to end
  std::chrono::milliseconds suspect_after{0};  ///< this and the next as in FaultToleranceOptions
  std::chrono::milliseconds cut_after{0};
  std::string optimizer = {};  ///< OptimizerSettings as JSON, for parameter servers of nodes
  bool verbose = true;         ///< Options::verbose
};

}  // namespace troupe
